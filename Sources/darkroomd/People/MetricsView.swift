// SPDX-License-Identifier: Apache-2.0
// Answers `Metrics`: the daemon's numbers for a monitoring system. Counters begin with the start of the daemon,
// and each has one home, in the recorder, the reporter, the workers or the cache. Raises nothing: a number that
// cannot be had now is left out.
// Concurrency: immutable; disks are read in `onDisk`.

import Accept
import Chain
import Linux
import Record
import Report
import Return
import Steer
import Vocabulary
import Worker

struct MetricsView: Sendable {
  private typealias Label = MetricFamily.Label
  private typealias Sample = MetricFamily.Sample

  let views: Views
  let workers: WorkerPool
  let outbox: WebhookOutbox
  let space: SpaceWatch

  func report() async -> MetricsReport {
    let (measures, webhooks) = await onDisk {
      (space.measures(), (try? outbox.keys())?.count)
    }
    return MetricsReport(
      families: process + lists + photos + record + host + messages
        + disk(measures)
        + [
          Self.gauge("webhooks_waiting", "Webhooks that wait to be sent.", webhooks)
        ].compactMap(\.self))
  }

  // MARK: the parts

  private var process: [MetricFamily] {
    let health = views.health.health
    return [
      MetricFamily(
        // Not of the type info, which the textfile collector does not know.
        "darkroom_build_info", .gauge, "The version of darkroomd.",
        [Sample("1", labels: [Label("version", Release.version)])]),
      MetricFamily(
        "darkroom_start_time_seconds", .gauge, unit: "seconds",
        "When the daemon started, in seconds since 1970.",
        [Sample(Self.seconds(.milliseconds(Int64(clamping: views.started))))]),
      MetricFamily(
        "darkroom_resident_memory_bytes", .gauge, unit: "bytes",
        "Memory of the daemon, without its workers.",
        [Sample("\(max(0, ThisProcess.residentBytes))")]),
      Self.family(
        "trouble", .gauge, "Whether something of this machine is in trouble, by subject.",
        "subject",
        Health.Matter.allCases.map { ($0.rawValue, health.has($0) ? 1 : 0) }),
      Self.gauge("degraded", "Troubles and shortcomings that status shows.", health.lines.count),
      Self.gauge("inbox_files", "Files in the inbox that may become lists.", health.files.waiting),
      Self.gauge(
        "inbox_unreadable_files", "Files in the inbox that the daemon may not read.",
        health.files.unreadable),
    ].compactMap(\.self)
  }

  private var lists: [MetricFamily] {
    let states = views.recorder.ledger { ledger in
      ledger.lists.values.reduce(into: [ListState: Int]()) { $0[$1.state, default: 0] += 1 }
    }
    let counts = views.recorder.counts
    return [
      Self.family(
        "lists", .gauge, "Lists that the daemon knows, by state.", "state",
        [ListState.accepted, .running, .paused, .finished, .cancelled].map {
          ($0.name, UInt64(states[$0] ?? 0))
        }),
      Self.family(
        "list_events", .counter, "Lists accepted, rejected, finished and cancelled.", "event",
        [RecorderCounts.Kind.accepted, .rejected, .finished, .cancelled].map {
          ($0.rawValue, counts[$0])
        }),
    ]
  }

  private var photos: [MetricFamily] {
    let open = views.recorder.ledger { ledger in
      ledger.lists.values.reduce(into: [PhotoState: UInt64]()) { sums, entry in
        if entry.state.isFinal { return }
        for state in Self.photoStates { sums[state, default: 0] += UInt64(entry.counts[state]) }
      }
    }
    let counts = views.recorder.counts
    let chains = views.chains.counts()
    let between = chains.inFlight - chains.downloading - chains.filtering - chains.outputting
    return [
      Self.family(
        "photos", .gauge, "Photos of lists that are not over, by state.", "state",
        Self.photoStates.map { ($0.name, open[$0] ?? 0) }),
      Self.family(
        "photos_at_work", .gauge, "Photos at work, by stage; next are between two stages.", "stage",
        [
          ("download", UInt64(chains.downloading)), ("filter", UInt64(chains.filtering)),
          ("output", UInt64(chains.outputting)), ("next", UInt64(max(0, between))),
        ]),
      Self.family(
        "photo_events", .counter, "Recorded changes of photos.", "event",
        [RecorderCounts.Kind.downloaded, .filtered, .lost].map { ($0.rawValue, counts[$0]) }),
      Self.family(
        "photo_failures", .counter, "Photos that failed for good, by stage.", "stage",
        Stage.allCases.map { ($0.name, counts.failed(in: $0)) }),
      Self.family(
        "photo_retries", .counter, "Attempts that failed and are repeated, by stage.", "stage",
        Stage.allCases.map { ($0.name, counts.retried(in: $0)) }),
      Self.counter(
        "originals_bytes", unit: "bytes", "Bytes of downloaded originals.", counts.downloadedBytes),
      Self.counter("prints_bytes", unit: "bytes", "Bytes of prints.", counts.printedBytes),
      Self.counter("workers_started", "Workers that were started.", workers.started),
      Self.counter(
        "workers_died", "Workers that died over a photo or a list.",
        views.reporter.counts[.workerDied]),
    ]
  }

  private static let photoStates: [PhotoState] = [.new, .downloaded, .filtered, .failed]

  private var record: [MetricFamily] {
    let counts = views.recorder.counts
    return [
      Self.counter("records", "Records in the journal file.", counts.records),
      MetricFamily(
        "darkroom_record_sync_seconds", .histogram, unit: "seconds",
        "Time of the disk for a group: of files, and of records in the journal file.",
        Self.samples("files", counts.effects) + Self.samples("journal", counts.writes)),
    ]
  }

  private var host: [MetricFamily] {
    let cache = views.cache()
    return [
      Self.gauge(
        "hosts_closed", "Hosts that do not answer, or have asked to be left alone.",
        Set(views.chains.closedHosts().map(\.name)).count),
      Self.counter(
        "host_closures", "Times that downloads from a host were held.",
        views.reporter.counts[.hostClosed]),
      Self.family(
        "cache_lookups", .counter, "Downloads that the cache saved (hit) or not (miss).", "result",
        [("hit", cache.hits), ("miss", cache.misses)]),
      MetricFamily(
        "darkroom_cache_bytes", .gauge, unit: "bytes", "Size of the cache of originals.",
        [Sample("\(cache.bytes)")]),
    ].compactMap(\.self)
  }

  private var messages: [MetricFamily] {
    let counts = views.reporter.counts
    return [
      Self.family(
        "messages", .counter, "Messages to the journal, by priority.", "priority",
        Priority.allCases.map { ("\($0)", counts[$0]) }),
      Self.counter(
        "messages_dropped", "Messages that were left out because the journal was slow.",
        counts.leftOut),
      Self.family(
        "webhook_ends", .counter,
        "Webhooks that were sent, given up, or left out because too many waited.", "result",
        [
          ("sent", counts[.webhookSent]), ("failed", counts[.webhookFailed]),
          ("left_out", counts[.webhookLeftOut]),
        ]),
      Self.counter(
        "hook_failures", "Hooks that this process ran and that failed.", counts[.hookFailed]),
      Self.counter(
        "hooks_left_out", "Hooks that were not ordered because too many of the list's owner wait.",
        counts[.hookLeftOut]),
    ]
  }

  private func disk(_ measures: [SpaceFloor.Measure]) -> [MetricFamily] {
    func sizes(_ size: (SpaceFloor.Measure) -> UInt64) -> [Sample] {
      measures.map { measure in
        let folder = measure.name == SpaceWatch.stateName ? "state" : "prints"
        return Sample("\(size(measure))", labels: [Label("folder", folder)])
      }
    }
    return [
      MetricFamily(
        "darkroom_free_bytes", .gauge, unit: "bytes", "Free space of the file system of a folder.",
        sizes(\.free)),
      MetricFamily(
        "darkroom_size_bytes", .gauge, unit: "bytes", "Size of the file system of a folder.",
        sizes(\.total)),
    ]
  }

  // MARK: forms

  private static func gauge(_ name: String, _ help: String, _ value: Int?) -> MetricFamily? {
    value.map { MetricFamily("darkroom_\(name)", .gauge, help, [Sample("\(max(0, $0))")]) }
  }

  private static func counter(
    _ name: String, unit: String = "", _ help: String, _ value: UInt64
  ) -> MetricFamily {
    MetricFamily(
      "darkroom_\(name)", .counter, unit: unit, help, [Sample("\(value)", suffix: "_total")])
  }

  private static func family(
    _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ label: String,
    _ values: [(String, UInt64)]
  ) -> MetricFamily {
    MetricFamily(
      "darkroom_\(name)", kind, help,
      values.map { value, count in
        Sample("\(count)", suffix: kind == .counter ? "_total" : "", labels: [Label(label, value)])
      })
  }

  private static func samples(_ what: String, _ counts: DurationCounts) -> [Sample] {
    let label = Label("what", what)
    var sum: UInt64 = 0
    var samples: [Sample] = []
    for (place, count) in counts.buckets.enumerated() {
      sum += count
      let isLast = place == DurationCounts.bounds.count
      let bound = isLast ? "+Inf" : seconds(.milliseconds(DurationCounts.bounds[place]))
      samples.append(Sample("\(sum)", suffix: "_bucket", labels: [label, Label("le", bound)]))
    }
    return samples + [
      Sample("\(sum)", suffix: "_count", labels: [label]),
      Sample(seconds(counts.sum), suffix: "_sum", labels: [label]),
    ]
  }

  /// Decimal, as OpenMetrics writes bounds: without further zeros, but with a fraction.
  private static func seconds(_ time: Duration) -> String {
    let micros = max(0, time / .microseconds(1))
    let (whole, part) = (Int64(micros) / 1_000_000, Int64(micros) % 1_000_000)
    let digits = String(1_000_000 + part).dropFirst()
    let used = digits.reversed().drop { $0 == "0" }.count
    return "\(whole).\(digits.prefix(max(1, used)))"
  }
}
