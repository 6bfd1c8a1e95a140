//! Contrast of all texts in sight, by the formula of WCAG 2.

use browser_peer::Page;

/// Texts whose contrast with what is behind them is below 4.5, or 3 if they are large.
pub(crate) fn faint_texts(page: &mut Page<'_>) -> Vec<String> {
    let found = page.eval(SCRIPT);
    found.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// Colours are drawn on a canvas to be read, because a style may give them in any notation.
const SCRIPT: &str = r#"(() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const parse = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || node.closest('script,style,noscript,option,.unseen,.skip,:disabled')) continue;
    if (!node.checkVisibility({visibilityProperty: true}) || node.getClientRects().length === 0) continue;
    const style = getComputedStyle(node);
    const colour = node instanceof SVGElement ? style.fill : style.color;
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const [a, b] = [light(parse(colour)), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) found.add(ratio.toFixed(2) + ' ' + node.tagName + '.' + node.className + ' ' + walker.currentNode.textContent.trim().slice(0, 40));
  }
  return [...found];
})()"#;
