/** Returns the text in upper case without accents ('Peña' → 'PENA', 'Ø' → 'O', 'ß' → 'SS'). Other characters stay. */
export function fold(text: string): string {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return foldWide(text)
  return text.toUpperCase()
}

function foldWide(text: string): string {
  // '12½' becomes '12 1/2', not '121/2'.
  const plain = text
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
  return plain.replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter).toUpperCase()
}

// Letters that Unicode's NFKD does not decompose, and the quotes and dashes that word processors insert.
const LETTERS: Record<string, string> = {
  Ø: 'O', ø: 'o', Đ: 'D', đ: 'd', Ł: 'L', ł: 'l', ß: 'ss', Æ: 'AE', æ: 'ae', Œ: 'OE', œ: 'oe', ı: 'i', Þ: 'Th', þ: 'th', Ð: 'D', ð: 'd',
  '‘': "'", '’': "'", 'ʼ': "'", '´': "'", '“': '"', '”': '"', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-',
} // prettier-ignore
