// SPDX-License-Identifier: Apache-2.0
// The style of contact sheets: prints with white borders on warm paper, and numbers in safelight red. If the viewer
// prefers dark pages, the page looks like a darkroom. A printed page is A4. Rows are justified by CSS alone: each
// tile grows by its ratio. On phones the longer side of each picture is as long as its column. No picture is cropped.
// Text has a contrast of at least 4.5. Immutable.

enum SheetStyle {
  /// The ratios and colours of a page's tiles.
  static func page(_ tiles: [SheetTile]) -> String {
    let ratios = Set(tiles.map(\.ratio)).sorted().map { ratio in
      ".r\(ratio){--r:\(ratio / 1000).\(ratio % 1000 / 100)\(ratio % 100 / 10)\(ratio % 10)}"
    }
    return (ratios + tiles.compactMap(\.colours)).joined()
  }

  /// Without the line breaks of the source.
  static let common = [colours, text, rows, tiles, narrow, paper].joined()
    .split(separator: "\n").joined()

  private static let colours = """
    :root{color-scheme:light dark;--ground:#f4efe6;--ink:#2b241c;--dim:#6b6155;--line:#d9cfbf;
    --border:#fffdf8;--edge:#2b241c33;--red:#a8321f;--wet:#ece3d4;--h:11.5rem}
    @media(prefers-color-scheme:dark){:root{--ground:#12100e;--ink:#eadfce;--dim:#a3978a;--line:#352e27;
    --border:#d9cfbf;--edge:#000;--red:#ef6a4e;--wet:#1f1b17}}
    """

  private static let text = """
    *{box-sizing:border-box}
    html{background:var(--ground);color:var(--ink);
    font:15px/1.45 "Source Sans 3",Cantarell,"DejaVu Sans",system-ui,sans-serif}
    body{margin:0 auto;max-width:1500px;padding:2rem clamp(1rem,3vw,3rem) 3rem}
    header{display:grid;grid-template-columns:1fr auto;gap:.2rem 2rem;align-items:end;
    border-bottom:1px solid var(--line);padding-bottom:1rem;margin-bottom:1.3rem}
    header div{min-width:0}
    h1,.count b{font-family:"Source Serif 4","DejaVu Serif",Georgia,serif;font-weight:600}
    h1{font-size:2.1rem;line-height:1.15;margin:0;overflow-wrap:anywhere;letter-spacing:-.01em}
    header p{margin:.25rem 0 0;color:var(--dim);overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
    .count{text-align:right}
    .count b{display:block;font-size:1.5rem;line-height:1.1;color:var(--ink)}
    progress{grid-column:1/-1;appearance:none;width:100%;height:5px;margin-top:.7rem;border:0;
    border-radius:3px;overflow:hidden;background:var(--line)}
    progress::-webkit-progress-bar{background:var(--line)}
    progress::-webkit-progress-value{background:var(--ink)}
    progress::-moz-progress-bar{background:var(--ink)}
    nav{display:flex;gap:.5rem;flex-wrap:wrap;align-items:baseline;margin:0 0 1.4rem}
    nav a{color:inherit;text-decoration:none;border:1px solid var(--line);border-radius:99px;
    padding:.22rem .8rem;font-size:.87rem;margin-inline-end:.2rem}
    nav span{margin-inline-start:auto;color:var(--dim);font-size:.87rem}
    nav [aria-current],.all,:target .bad{background:var(--ink);color:var(--ground);border-color:var(--ink)}
    :target .all{background:none;color:inherit;border-color:var(--line)}
    :target li:not(.x){display:none}
    nav .load{border-color:transparent;padding-inline:.3rem;text-decoration:underline;text-underline-offset:.2em}
    .first,.second,:target nav .load{display:none}
    #failed:target nav .first,#failed-again:target nav .second{display:block}
    nav+nav{margin-top:-.6rem;color:var(--dim);font-size:.87rem}
    nav+nav a{color:var(--red);font-size:inherit;margin:0}
    a:focus-visible{outline:3px solid var(--red);outline-offset:2px}
    footer{margin-top:2.6rem;border-top:1px solid var(--line);padding-top:.9rem;color:var(--dim);font-size:.8rem}
    footer p{margin:0}
    """

  private static let rows = """
    ol{list-style:none;margin:0;padding:6px;display:flex;flex-wrap:wrap;gap:1.45rem 1.6rem}
    ol::after{content:"";flex:9 1 0}
    li{container-type:inline-size;flex:var(--r) 1 calc(var(--r)*var(--h));max-width:calc(var(--r)*var(--h)*1.6);min-width:0}
    li a,li div{display:block;aspect-ratio:var(--r);background:var(--border);
    box-shadow:0 0 0 6px var(--border),0 1px 5px 6px var(--edge)}
    li a:focus-visible{outline-offset:8px}
    img{width:100%;height:100%;object-fit:contain;display:block}
    li p{display:flex;gap:.55em;align-items:baseline;margin:.75rem 0 0;font-size:.8rem}
    li b{font:600 .73rem "DejaVu Sans Mono",ui-monospace,monospace;color:var(--red)}
    p bdi{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    header p bdi{white-space:normal}
    li i{margin-inline-start:auto;font-style:normal;white-space:nowrap;color:var(--dim);
    font-variant-numeric:tabular-nums}
    @container(max-width:12rem){i{display:none}}
    """

  private static let tiles = """
    .w div{background:var(--wet);box-shadow:0 0 0 6px var(--wet),0 0 0 7px var(--line)}
    .w bdi{color:var(--dim)}
    .x div{display:flex;flex-direction:column;justify-content:end;padding:.85rem;font-size:.82rem;
    line-height:1.35;overflow-wrap:anywhere;background:var(--wet);
    box-shadow:0 0 0 4.5px var(--wet),0 0 0 6px var(--red)}
    .x strong{color:var(--red)}
    """

  private static let narrow = """
    @media(max-width:600px){
    body{padding-top:1.2rem}header{grid-template-columns:1fr}.count{text-align:start;margin-top:.7rem}
    .count b{display:inline;margin-inline-end:.4em}h1{font-size:1.6rem}
    ol{display:grid;grid-template-columns:1fr 1fr;gap:1.15rem 1.25rem;align-items:end}ol::after{display:none}
    li{max-width:none}li a,li div{width:min(100cqw,100cqw*var(--r))}li i{display:none}li p{margin-top:.65rem}
    .x div{padding:.6rem;font-size:.76rem}}
    """

  private static let paper = """
    @media print{@page{size:A4;margin:12mm}
    :root{--ground:#fff;--ink:#000;--dim:#444;--line:#bbb;--border:#fff;--red:#000;--wet:#fff;--h:27mm}
    html{font-size:8.5pt}body{padding:0;max-width:none}nav,progress{display:none}h1{font-size:18pt}
    ol{gap:4mm 3mm;padding:.8mm}li{break-inside:avoid}
    li a{box-shadow:0 0 0 .3mm #999;print-color-adjust:exact}li p{margin-top:1.4mm}
    .w div,.x div{box-shadow:none;border:.3mm solid #999}.x div{border:.6mm solid #000}
    footer{margin-top:6mm;break-inside:avoid}}
    """
}
