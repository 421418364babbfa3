// SPDX-License-Identifier: Apache-2.0
// The style of the page: paper by day, a darkroom by night. At most 6 kB, which WebTests check.

package enum PageStyle {
  package static let text = #"""
    :root{color-scheme:light dark;--ground:#f4efe6;--ink:#2b241c;--dim:#6b6155;--line:#d9cfbf;
      --paper:#fffdf8;--edge:#fffdf8;--safe:#a8321f;--wet:#cbb892}
    @media (prefers-color-scheme:dark){:root{--ground:#14110f;--ink:#eadfce;--dim:#a1968a;--line:#2c2621;
      --paper:#2a2420;--edge:#b3a792;--safe:#ee6f56;--wet:#5a4a33}}
    *{box-sizing:border-box}
    html{background:var(--ground);color:var(--ink);
      font:15px/1.45 "Source Sans 3",Cantarell,"DejaVu Sans",system-ui,sans-serif}
    body{margin:0 auto;height:100vh;height:100dvh;display:flex;flex-direction:column;overflow:hidden}
    header{display:grid;grid-template-columns:1fr auto;gap:.2rem 2rem;align-items:end;
      padding:1.2rem 1.6rem .8rem}
    h1{font:600 2rem/1.1 "Source Serif 4","DejaVu Serif",Georgia,serif;margin:0;letter-spacing:-.01em;
      overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    header div{min-width:0}
    header p{margin:0;color:var(--dim)}
    .count{text-align:right;color:var(--dim);font-variant-numeric:tabular-nums}
    .count b{font:600 1.5rem/1 "DejaVu Serif",Georgia,serif;color:var(--ink);display:block}
    #about,#left{display:block;min-height:1.45em;overflow:hidden;text-overflow:ellipsis;
      white-space:nowrap}
    .count{max-width:60vw}
    .bar{grid-column:1/-1;height:6px;border-radius:3px;background:var(--line);overflow:hidden;
      margin-top:.6rem;display:flex}
    .bar i{background:var(--ink)}
    .bar i+i{background:var(--safe)}
    .bar i+i+i{background:repeating-linear-gradient(90deg,var(--wet) 0 6px,transparent 6px 9px)}
    nav{display:flex;gap:.5rem;flex-wrap:wrap;padding:0 1.6rem .8rem;border-bottom:1px solid var(--line)}
    nav button,nav input{font:inherit;font-size:.86rem;color:inherit;background:var(--paper);
      border:1px solid var(--line);border-radius:99px;padding:.25rem .8rem}
    nav input{margin-left:auto}
    nav input::placeholder{color:var(--dim);opacity:1}
    nav button{cursor:pointer}
    nav span{font-variant-numeric:tabular-nums}
    nav button[aria-pressed=true]{background:var(--ink);color:var(--ground);border-color:var(--ink)}
    #sheet{flex:1;display:flex;min-height:0}
    main{flex:1;overflow-y:scroll;overflow-x:hidden;outline:0;overflow-anchor:none;
      contain:strict}
    ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(max(210px,(100% - 6*24px)/7),1fr));
      gap:24px;align-content:start;overflow:clip;list-style:none;margin:0;padding:0 26px}
    li{contain:layout style;min-width:0}
    [hidden]{display:none!important}
    a{display:flex;align-items:baseline;gap:.6em;position:relative;padding-top:calc(200%/3 + 10px);color:inherit;
      text-decoration:none}
    #map{position:relative;width:60px;margin:26px 24px 0 0;cursor:pointer;touch-action:none}
    #map canvas{width:100%;image-rendering:pixelated}
    #map i{position:absolute;left:-4px;width:66px;border:2px solid var(--safe);border-radius:3px;
      box-shadow:0 0 0 2px var(--ground);pointer-events:none}
    em{position:absolute;inset:0 0 32px;padding:.5rem .6rem;
      display:flex;align-items:end;font-size:.8rem;line-height:1.3;font-style:normal;color:var(--dim);
      background:repeating-linear-gradient(135deg,transparent 0 9px,var(--line) 9px 10px),var(--ground);
      box-shadow:inset 0 0 0 1px var(--line);overflow:hidden;overflow-wrap:anywhere}
    a[data-state="1"] em{background:linear-gradient(transparent,var(--wet)),var(--paper);color:var(--ink)}
    a[data-state="3"] em{background:var(--paper);color:var(--safe);box-shadow:inset 0 0 0 1.5px var(--safe);
      font-weight:600}
    img{position:absolute;inset:0;width:100%;height:calc(100% - 32px);object-fit:contain;
      background:var(--edge);visibility:hidden;box-shadow:0 0 0 5px var(--edge),0 1px 4px 5px #0003}
    a.there img{visibility:visible}
    a.there em{display:none}
    a span{flex:1;min-width:0;height:22px;font-size:.8rem;overflow:hidden;
      text-overflow:ellipsis;white-space:nowrap;unicode-bidi:isolate}
    a::after{content:attr(data-number);color:var(--safe);
      font:600 .72rem/22px ui-monospace,"DejaVu Sans Mono",monospace}
    .none::before{content:"None";display:block;padding:26px;color:var(--dim)}
    :focus-visible{outline:3px solid var(--safe);outline-offset:2px}
    li:focus-within{z-index:1}
    a:focus-visible{outline-offset:6px}
    #said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:0}
    .notice{justify-content:center;align-items:center;font-size:1.2rem}
    @media (max-width:600px){header{padding:.8rem 1rem .6rem;column-gap:1rem}h1{font-size:1.4rem}nav{padding:0 1rem .6rem}
      nav input{flex:1 0 100%;margin:0}
      ul{grid-template-columns:repeat(auto-fill,minmax(130px,1fr));padding:0 16px}
      #map{width:30px;margin:26px 12px 0 0}#map i{width:36px}}
    @media (prefers-reduced-motion:no-preference){a.new img{animation:develop 1.6s ease-out}
      @keyframes develop{from{filter:contrast(.2) brightness(1.7);opacity:.2}}}
    @media print{nav,.bar,#sheet{display:none}
      header::after{content:"For paper there is index.html, in the folder of the prints."}}

    """#
}
