/** Upper case, accents taken off ('Peña' → 'PENA', 'Ø' → 'O', 'ß' → 'SS'). Everything else stays. */
export function fold(text: string): string {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return foldWide(text)
  return text.toUpperCase()
}

function foldWide(text: string): string {
  // '12½' is '12 1/2', not '121/2'.
  const plain = text
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
  return plain.replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter).toUpperCase()
}

// Letters that Unicode doesn't take apart, and the quotes and dashes that word processors put in.
const LETTERS: Record<string, string> = {
  Ø: 'O', ø: 'o', Đ: 'D', đ: 'd', Ł: 'L', ł: 'l', ß: 'ss', Æ: 'AE', æ: 'ae', Œ: 'OE', œ: 'oe', ı: 'i', Þ: 'Th', þ: 'th', Ð: 'D', ð: 'd',
  '‘': "'", '’': "'", 'ʼ': "'", '´': "'", '“': '"', '”': '"', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-',
} // prettier-ignore
