# SPDX-License-Identifier: Apache-2.0
"""Hostile photo lists and pictures for inputs.py, by family. A family is a function of random numbers, for
pictures also of good ones, and returns the bytes of one file; each call makes another one."""
import io
import plistlib
import struct
import zlib

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
DTD = (b'<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
       b'"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n')


def plist(inside, head=HEAD + DTD):
    return head + b'<plist version="1.0">' + inside + b"</plist>\n"


def entry(name, url):
    return b"<key>" + name + b"</key><string>" + url + b"</string>"


def good_list(random, photos=None):
    count = photos or random.randint(1, 60)
    rows = {f"photo {n} ä": f"https://example.org/{random.getrandbits(40):x}/{n}.jpg" for n in range(count)}
    return plistlib.dumps(rows)


def binary_list(random):
    rows = [{"Name": f"photo {n}", "URL": f"https://example.org/{n}.jpg"}
            for n in range(random.randint(1, 60))]
    contents = {"Photos": rows, "Title": "t" * random.randint(0, 300)}
    return plistlib.dumps(contents, fmt=plistlib.FMT_BINARY)


# Damage, for any file.


def flipped(random, data):
    bytes_ = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        bytes_[random.randrange(len(bytes_))] ^= 1 << random.randrange(8)
    return bytes(bytes_)


def cut(random, data):
    return data[:random.randrange(len(data))]


def doubled(random, data):
    """A part of it stands twice, or stands elsewhere."""
    start = random.randrange(len(data))
    part = data[start:start + random.randint(1, 4096)]
    place = random.randrange(len(data))
    return data[:place] + part * random.choice((1, 2, 50)) + data[place:]


def extreme(random, data):
    """A number in it becomes one at a limit."""
    value = random.choice((b"\0", b"\xff", b"\x7f", b"\x80")) * random.choice((1, 2, 4, 8))
    place = random.randrange(len(data))
    return data[:place] + value + data[place + len(value):]


DAMAGES = (flipped, cut, doubled, extreme)


def damaged(random, data):
    return random.choice(DAMAGES)(random, data)


# Lists in XML.


def entity_bomb(random):
    depth, width = random.randint(3, 12), random.randint(2, 12)
    levels = [f'<!ENTITY e{n} "{f"&e{n - 1};" * width}">' for n in range(1, depth)]
    document = f'<!DOCTYPE plist [<!ENTITY e0 "{"x" * random.randint(1, 9000)}">{"".join(levels)}]>'
    return plist(b"<dict>" + entry(b"a", f"&e{depth - 1};".encode()) + b"</dict>", HEAD + document.encode())


def outside_entity(random):
    place = random.choice(("file:///etc/passwd", "http://127.0.0.1:1/x", "/dev/zero", "php://filter"))
    kind = random.choice(("ENTITY x SYSTEM", "ENTITY % x SYSTEM", "NOTATION x SYSTEM"))
    document = f'<!DOCTYPE plist [<!{kind} "{place}"> {"%x;" if "%" in kind else ""}]>'
    return plist(b"<dict>" + entry(b"a", b"&x;") + b"</dict>", HEAD + document.encode())


def deep(random):
    depth = random.choice((20, 100, 1000, 100_000))
    tag = random.choice((b"array", b"dict", b"string", b"plist", b"key"))
    inside = b"<dict><key>a</key>" + (b"<" + tag + b">") * depth
    return plist(inside + (b"</" + tag + b">") * random.choice((depth, depth - 1, 0)) + b"</dict>")


def long_text(random):
    """One long text: a key, a value, an attribute, a comment, a name of an element, a run of blanks."""
    letter = random.choice((b"x", "ä".encode(), b" ", b"&#65;", b"&amp;"))
    text = letter * random.choice((70_000, 1 << 20, 6 << 20))
    forms = (entry(text, b"https://example.org/a.jpg"), entry(b"a", text), b'<string a="' + text + b'"/>',
             b"<!--" + text + b"-->", b"<![CDATA[" + text + b"]]>", b"<?x " + text + b"?>",
             b"<" + text + b"/>", text)
    return plist(b"<dict>" + random.choice(forms) + b"</dict>")


def many_small(random):
    count = random.choice((1000, 100_000))
    part = random.choice((b"<dict/>", b"<true/>", b"<!-- -->", b"<?a?>", b"<key>a</key>", b"&#9;"))
    attributes = b" ".join(b'a%d=""' % n for n in range(random.choice((0, 1000))))
    return plist(b"<dict " + attributes + b">" + part * count + b"</dict>")


def encoding(random):
    name = random.choice(("UTF-16", "UTF-16LE", "UTF-32", "UTF-7", "ISO-8859-1", "EBCDIC-CP-US", "x" * 300))
    codec = random.choice(
        ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "latin-1", "cp500", "utf-8-sig"))
    text = f'<?xml version="1.0" encoding="{name}"?><plist version="1.0"><dict><key>ä</key><string>ü'
    return text.encode(codec) + random.randbytes(random.randint(0, 30))


def bad_bytes(random):
    bad = random.choice(
        (b"\0", b"\xed\xa0\x80", b"\xc0\xaf", b"\xff\xfe", b"\xf4\x90\x80\x80", b"\x1b[2J", b"\x80", b"&#0;",
         b"&#xD800;", b"&#x110000;", b"&#x;", b"&;", b"&", b"]]>", b"<", "\u202e".encode()))
    url = b"https://example.org/" + random.choice((bad, b""))
    return plist(b"<dict>" + entry(b"a" + bad, url) + b"</dict>")


def strange_tree(random):
    parts = [b"<key>a</key>", b"<string>b</string>", b"<integer>1e999</integer>", b"</integer>",
             b"<integer>99999999999999999999", b"<real>nan</real>", b"<date>-1</date>", b"<data>%%%</data>",
             b"<array>", b"</array>", b"<dict>", b"</dict>", b"<true/>", b"<key/>", b"<Dict>", b"<plist>",
             b"</plist>", b"<x:y/>", b"<true>no", b"<key>Photos</key>", b"<key>Filter</key>",
             b"<key>URL</key>", b"<key>Name</key>"]
    return plist(b"<dict>" + b"".join(random.choices(parts, k=random.randint(1, 40))) + b"</dict>")


def other_kind(random):
    kinds = (b"", b" " * 4096, b'{"a": "b"}', b"{ a = b; }", b"{\\rtf1 x}", b"\x1f\x8b\x08" + bytes(99),
             b"\x7fELF", b"\x89PNG\r\n\x1a\n", b"PK\3\4", b"%PDF-1.7", b"\0" * 70_000, b"<html><body>",
             b"bplist00", b"bplist15", b"#!/bin/sh\n", b"\xef\xbb\xbf", b"\xfe\xff")
    return random.choice(kinds) + random.randbytes(random.choice((0, 1, 40, 4000)))


# Binary lists.


def binary_file(objects, top=0, count=None, table=None, size=2, reference=2, start=None):
    """The objects behind one another, with a table of their places."""
    body, places = b"bplist00", []
    for data in objects:
        places.append(len(body))
        body += data
    table = places if table is None else table
    end = len(body) if start is None else start
    body += b"".join(place.to_bytes(8, "big")[8 - size:] if size else b"" for place in table)
    tail = struct.pack(">6xBBQQQ", size, reference, len(objects) if count is None else count, top, end)
    return body + tail


def damaged_binary(random):
    """Mostly with a good trailer, without which nothing else is read."""
    data = binary_list(random)
    if random.random() < 0.2:
        return damaged(random, data)
    body = random.choice((flipped, extreme))(random, data[:-32])
    return body[:len(data) - 32] + data[-32:]


def shared_arrays(random):
    """Each array has the next one many times: 2 to the power of hundreds of elements."""
    depth, width = random.randint(4, 400), random.randint(2, 14)
    arrays = [bytes([0xA0 + width]) + struct.pack(">H", n + 1) * width for n in range(2, depth)]
    return binary_file([b"\xd1\0\1\0\2", b"\x51a", *arrays, b"\x51b"])


def cycles(random):
    kind = random.choice((0xA1, 0xD1, 0xC1))
    reference = struct.pack(">H", random.randint(0, 2))
    return binary_file([b"\xd1\0\1\0\2", b"\x51a", bytes([kind]) + reference * 2])


def false_numbers(random):
    """A trailer, a place or a length that leads out of the file."""
    far = random.choice((0, 1, 7, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 63) - 1, (1 << 64) - 1))
    kind = random.choice((0x4F, 0x5F, 0x6F, 0xAF, 0xDF))
    length = bytes([kind, 0x13]) + struct.pack(">Q", far)
    objects = [b"\xd1\0\1\0\2", b"\x51a", length]
    pick = random.randrange(7)
    if pick == 0:
        return binary_file(objects, top=far)
    if pick == 1:
        return binary_file(objects, count=far)
    if pick == 2:
        return binary_file(objects, start=far)
    if pick == 3:
        return binary_file(objects, table=[8, far & 0xFFFF, 9])
    if pick == 4:
        size, reference = random.choice((0, 1, 3, 8)), random.choice((0, 3, 8, 255))
        return binary_file(objects, size=size, reference=reference)
    if pick == 5:
        return binary_file([bytes([random.randrange(256)]) * random.randint(1, 40) for _ in range(9)])
    return binary_file(objects)


LISTS = {
    "entity bombs": entity_bomb, "entities from outside": outside_entity, "deep trees": deep,
    "long texts": long_text, "many small elements": many_small, "encodings": encoding,
    "bytes that no list has": bad_bytes, "strange trees": strange_tree, "other kinds of files": other_kind,
    "damaged XML": lambda random: damaged(random, good_list(random)),
    "damaged binary lists": damaged_binary,
    "shared arrays": shared_arrays, "cycles": cycles, "numbers that lead out of the file": false_numbers,
}

# Pictures. `samples` are good ones: JPEG and PNG files.


def chunk(kind, data, checksum=None):
    check = zlib.crc32(kind + data) if checksum is None else checksum
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def png(width, height, depth=8, colour=2, interlaced=0, chunks=b"", data=b""):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunks + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def deflated_zeros(length):
    deflate = zlib.compressobj(9)
    out = io.BytesIO()
    block = bytes(1 << 20)
    while length > 0:
        out.write(deflate.compress(block[:length]))
        length -= len(block)
    out.write(deflate.flush())
    return out.getvalue()


def pixel_bomb(random, samples):
    width, height = random.choice(
        ((60_000, 60_000), (20_000, 20_000), (1 << 30, 1 << 30), (1, 1 << 31), (1 << 20, 1)))
    data = deflated_zeros(random.choice((1000, 8 << 20)))
    return png(width, height, colour=random.choice((0, 2, 6)), interlaced=random.choice((0, 1)), data=data)


def packed_text(random, samples):
    """Text or a colour profile that unpacks to much more."""
    packed = deflated_zeros(random.choice((1 << 20, 32 << 20)))
    kind, head = random.choice(((b"iCCP", b"p\0\0"), (b"zTXt", b"t\0\0"), (b"iTXt", b"t\0\1\0\0\0")))
    return png(4, 4, chunks=chunk(kind, head + packed) * random.choice((1, 3)), data=zlib.compress(bytes(52)))


def many_chunks(random, samples):
    kind = random.choice((b"tEXt", b"IDAT", b"sPLT", b"zzZz", b"PLTE", b"tRNS", b"gAMA"))
    part = chunk(kind, b"" if kind == b"IDAT" else b"a\0b" * random.randint(1, 30), random.choice((None, 0)))
    return png(4, 4, chunks=part * random.choice((100, 20_000)), data=zlib.compress(bytes(52)))


def odd_header(random, samples):
    depth = random.choice((0, 1, 2, 4, 8, 16, 255))
    colour = random.choice((0, 1, 2, 3, 4, 6, 7, 255))
    return png(random.choice((0, 1, 3, 1 << 16)), random.choice((0, 1, 3)), depth, colour,
               random.choice((0, 1, 2)), data=zlib.compress(bytes(random.randint(0, 400))))


def jpeg_of(random, samples):
    return random.choice([data for data in samples if data[:2] == b"\xff\xd8"])


def png_of(random, samples):
    return random.choice([data for data in samples if data[:2] == b"\x89P"])


def mended_png(random, samples):
    """Damage with right checksums, so that it reaches what lies behind them."""
    data, out, place = png_of(random, samples), b"\x89PNG\r\n\x1a\n", 8
    while place + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if body and random.random() < 0.4:
            body = damaged(random, body)
        out += chunk(kind, body)
        place += 12 + length
    return out


def segments(data):
    """The parts of a JPEG before its first scan: (start, end) of each marker segment."""
    place, found = 2, []
    while place + 4 <= len(data) and data[place] == 0xFF and data[place + 1] != 0xDA:
        end = place + 2 + struct.unpack(">H", data[place + 2:place + 4])[0]
        found.append((place, end))
        place = end
    return found


def jpeg_size(random, samples):
    """The header names other dimensions, components or sampling."""
    data = bytearray(jpeg_of(random, samples))
    for start, end in segments(data):
        if data[start + 1] in (0xC0, 0xC1, 0xC2):
            if random.random() < 0.5:
                height, width = random.choices((0, 1, 0xFFFF, 30_000, 65_500), k=2)
                data[start + 5:start + 9] = struct.pack(">HH", height, width)
            else:
                data[random.randrange(start + 4, end)] = random.randrange(256)
    return bytes(data)


def jpeg_markers(random, samples):
    """Segments that stand more than once, are empty, huge, or of a kind that is not expected."""
    data = jpeg_of(random, samples)
    start, end = random.choice(segments(data))
    length = random.choice((2, 3, 16, 65_535))
    strange = bytes([0xFF, random.randrange(0xC0, 0xFF)]) + struct.pack(">H", length) + bytes(length - 2)
    part = random.choice((data[start:end], strange)) * random.choice((1, 3, 400))
    return data[:start] + part + data[start:]


def scan_bomb(random, samples):
    """Its scans stand again and again."""
    data = jpeg_of(random, samples)
    scan = segments(data)[-1][1]
    return data[:-2] + data[scan:-2] * random.choice((10, 500)) + b"\xff\xd9"


def false_exif(random, samples):
    data = jpeg_of(random, samples)
    tags = b""
    for _ in range(random.randint(0, 40)):
        tag = random.choice((0x112, 0x8769, 0x8825, 0xA005, random.randrange(1 << 16)))
        count = random.choice((0, 1, 2, 0xFFFFFFFF, 1 << 28))
        place = random.choice((0, 8, 26, 0xFFFFFFFF, random.randrange(1 << 32)))
        tags += struct.pack(">HHII", tag, random.randrange(14), count, place)
    head = struct.pack(">IH", random.choice((8, 0, 0xFFFFFFF0)), random.choice((1, 40, 0xFFFF)))
    body = b"Exif\0\0MM\0*" + head + tags
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


PICTURES = {
    "pixel bombs": pixel_bomb, "packed texts and profiles": packed_text, "many chunks": many_chunks,
    "odd headers": odd_header, "damage behind right checksums": mended_png, "other dimensions": jpeg_size,
    "strange segments": jpeg_markers, "scans again and again": scan_bomb, "false EXIF": false_exif,
    "damaged JPEG": lambda random, samples: damaged(random, jpeg_of(random, samples)),
    "damaged PNG": lambda random, samples: damaged(random, png_of(random, samples)),
    "other kinds of files": lambda random, samples: other_kind(random),
}
