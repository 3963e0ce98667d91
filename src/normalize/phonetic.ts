import { fold } from './fold.ts'

const VOWELS = 'AEIOUY'
const LONGEST = 6

/**
 * Returns the primary code of Double Metaphone (Lawrence Philips, 2000), up to six letters. Words that sound alike in
 * American English share a code: 'SMITH' and 'SMYTH' give 'SM0', where 0 is "th". Empty for a word without letters.
 */
export function phoneticKey(word: string): string {
  const text = fold(word).replace(/[^A-Z]/g, '')
  return text === '' ? '' : new Metaphone(text).code()
}

class Metaphone {
  readonly text: string
  readonly last: number
  readonly slavoGermanic: boolean
  out = ''
  at = 0

  constructor(text: string) {
    this.text = text
    this.last = text.length - 1
    this.slavoGermanic = /W|K|CZ|WITZ/.test(text)
  }

  code(): string {
    if (this.has(0, 'GN', 'KN', 'PN', 'WR', 'PS')) this.at = 1
    if (this.text[0] === 'X') this.emit('S', 1)
    while (this.at <= this.last && this.out.length < LONGEST) this.step()
    return this.out.slice(0, LONGEST)
  }

  step(): void {
    const letter = this.text[this.at]!
    if (VOWELS.includes(letter)) return this.emit(this.at === 0 ? 'A' : '', 1)
    switch (letter) {
      case 'B':
        return this.emit('P', this.doubled('B'))
      case 'C':
        return this.stepC()
      case 'D':
        return this.stepD()
      case 'G':
        return this.stepG()
      case 'H':
        return this.stepH()
      case 'J':
        return this.stepJ()
      case 'L':
        return this.emit('L', this.doubled('L'))
      case 'M':
        return this.emit('M', this.doubledM())
      case 'P':
        if (this.text[this.at + 1] === 'H') return this.emit('F', 2)
        return this.emit('P', this.has(this.at + 1, 'P', 'B') ? 2 : 1)
      case 'Q':
        return this.emit('K', this.doubled('Q'))
      case 'R':
        return this.stepR()
      case 'S':
        return this.stepS()
      case 'T':
        return this.stepT()
      case 'V':
        return this.emit('F', this.doubled('V'))
      case 'W':
        return this.stepW()
      case 'X':
        return this.stepX()
      case 'Z':
        if (this.text[this.at + 1] === 'H') return this.emit('J', 2)
        return this.emit('S', this.doubled('Z'))
      default:
        return this.emit(letter, this.doubled(letter)) // F, K, N
    }
  }

  emit(code: string, letters: number): void {
    this.out += code
    this.at += letters
  }

  has(start: number, ...options: string[]): boolean {
    return start >= 0 && options.some((option) => this.text.startsWith(option, start))
  }

  vowel(index: number): boolean {
    const letter = this.text[index]
    return letter !== undefined && VOWELS.includes(letter)
  }

  doubled(letter: string): number {
    return this.text[this.at + 1] === letter ? 2 : 1
  }

  doubledM(): number {
    const silentB = this.has(this.at - 1, 'UMB') && (this.at + 1 === this.last || this.has(this.at + 2, 'ER'))
    return silentB || this.text[this.at + 1] === 'M' ? 2 : 1
  }

  germanic(): boolean {
    return this.has(0, 'VAN ', 'VON ', 'SCH', 'VAN', 'VON')
  }

  stepC(): void {
    const at = this.at
    const germanicCh =
      at > 1 &&
      !this.vowel(at - 2) &&
      this.has(at - 1, 'ACH') &&
      this.text[at + 2] !== 'I' &&
      (this.text[at + 2] !== 'E' || this.has(at - 2, 'BACHER', 'MACHER'))
    if (germanicCh) return this.emit('K', 2)
    if (at === 0 && this.has(0, 'CAESAR')) return this.emit('S', 2)
    if (this.has(at, 'CHIA')) return this.emit('K', 2)
    if (this.has(at, 'CH')) return this.stepCh()
    if (this.has(at, 'CZ') && !this.has(at - 2, 'WICZ')) return this.emit('S', 2)
    if (this.has(at + 1, 'CIA')) return this.emit('X', 3)
    if (this.has(at, 'CC') && !(at === 1 && this.text[0] === 'M')) {
      if (this.has(at + 2, 'I', 'E', 'H') && !this.has(at + 2, 'HU')) {
        const hard = (at === 1 && this.text[0] === 'A') || this.has(at - 1, 'UCCEE', 'UCCES')
        return this.emit(hard ? 'KS' : 'X', 3)
      }
      return this.emit('K', 2)
    }
    if (this.has(at, 'CK', 'CG', 'CQ')) return this.emit('K', 2)
    if (this.has(at, 'CI', 'CE', 'CY')) return this.emit('S', 2)
    if (this.has(at + 1, 'C', 'K', 'Q') && !this.has(at + 1, 'CE', 'CI')) return this.emit('K', 2)
    return this.emit('K', 1)
  }

  stepCh(): void {
    const at = this.at
    if (at > 0 && this.has(at, 'CHAE')) return this.emit('K', 2)
    const greek =
      at === 0 && this.has(1, 'HARAC', 'HARIS', 'HOR', 'HYM', 'HIA', 'HEM') && !this.has(0, 'CHORE')
    if (greek) return this.emit('K', 2)
    const hard =
      this.germanic() ||
      this.has(at - 2, 'ORCHES', 'ARCHIT', 'ORCHID') ||
      this.has(at + 2, 'T', 'S') ||
      ((at === 0 || this.has(at - 1, 'A', 'O', 'U', 'E')) &&
        (at + 2 > this.last || this.has(at + 2, 'L', 'R', 'N', 'M', 'B', 'H', 'F', 'V', 'W')))
    if (hard) return this.emit('K', 2)
    if (at > 0) return this.emit(this.has(0, 'MC') ? 'K' : 'X', 2)
    return this.emit('X', 2)
  }

  stepD(): void {
    if (this.has(this.at, 'DG')) {
      return this.has(this.at + 2, 'I', 'E', 'Y') ? this.emit('J', 3) : this.emit('TK', 2)
    }
    return this.emit('T', this.has(this.at, 'DT', 'DD') ? 2 : 1)
  }

  stepG(): void {
    const at = this.at
    if (this.text[at + 1] === 'H') return this.stepGh()
    if (this.text[at + 1] === 'N') {
      if (at === 1 && this.vowel(0) && !this.slavoGermanic) return this.emit('KN', 2)
      if (!this.has(at + 2, 'EY') && !this.slavoGermanic) return this.emit('N', 2)
      return this.emit('KN', 2)
    }
    if (this.has(at + 1, 'LI') && !this.slavoGermanic) return this.emit('KL', 2)
    const softAtStart =
      at === 0 && this.has(1, 'Y', 'ES', 'EP', 'EB', 'EL', 'EY', 'IB', 'IL', 'IN', 'IE', 'EI', 'ER')
    if (softAtStart) return this.emit('K', 2)
    const ger =
      this.has(at + 1, 'ER', 'Y') &&
      !this.has(0, 'DANGER', 'RANGER', 'MANGER') &&
      !this.has(at - 1, 'E', 'I') &&
      !this.has(at - 1, 'RGY', 'OGY')
    if (ger) return this.emit('K', 2)
    if (this.has(at + 1, 'E', 'I', 'Y') || this.has(at - 1, 'AGGI', 'OGGI')) {
      if (this.germanic() || this.has(at + 1, 'ET')) return this.emit('K', 2)
      return this.emit('J', 2)
    }
    return this.emit('K', this.doubled('G'))
  }

  stepGh(): void {
    const at = this.at
    if (at > 0 && !this.vowel(at - 1)) return this.emit('K', 2)
    if (at === 0) return this.emit(this.text[2] === 'I' ? 'J' : 'K', 2)
    const silent =
      (at > 1 && this.has(at - 2, 'B', 'H', 'D')) ||
      (at > 2 && this.has(at - 3, 'B', 'H', 'D')) ||
      (at > 3 && this.has(at - 4, 'B', 'H'))
    if (silent) return this.emit('', 2)
    if (at > 2 && this.text[at - 1] === 'U' && this.has(at - 3, 'C', 'G', 'L', 'R', 'T'))
      return this.emit('F', 2)
    return this.emit(this.text[at - 1] === 'I' ? '' : 'K', 2)
  }

  stepH(): void {
    if ((this.at === 0 || this.vowel(this.at - 1)) && this.vowel(this.at + 1)) return this.emit('H', 2)
    return this.emit('', 1)
  }

  stepJ(): void {
    const at = this.at
    if (this.has(at, 'JOSE') || this.has(0, 'SAN')) {
      const spanish = (at === 0 && this.text.length === 4) || this.has(0, 'SAN')
      return this.emit(spanish ? 'H' : 'J', 1)
    }
    if (at === 0) return this.emit('J', this.doubled('J'))
    if (this.vowel(at - 1) && !this.slavoGermanic && this.has(at + 1, 'A', 'O')) return this.emit('J', 1)
    if (at === this.last) return this.emit('J', 1)
    const silent = this.has(at + 1, 'L', 'T', 'K', 'S', 'N', 'M', 'B', 'Z') || this.has(at - 1, 'S', 'K', 'L')
    return this.emit(silent ? '' : 'J', this.doubled('J'))
  }

  stepR(): void {
    const french =
      this.at === this.last &&
      !this.slavoGermanic &&
      this.has(this.at - 2, 'IE') &&
      !this.has(this.at - 4, 'ME', 'MA')
    return this.emit(french ? '' : 'R', this.doubled('R'))
  }

  stepS(): void {
    const at = this.at
    if (this.has(at - 1, 'ISL', 'YSL')) return this.emit('', 1)
    if (at === 0 && this.has(0, 'SUGAR')) return this.emit('X', 1)
    if (this.has(at, 'SH')) return this.emit(this.has(at + 1, 'HEIM', 'HOEK', 'HOLM', 'HOLZ') ? 'S' : 'X', 2)
    if (this.has(at, 'SIO', 'SIA')) return this.emit('S', 3)
    if ((at === 0 && this.has(1, 'M', 'N', 'L', 'W')) || this.text[at + 1] === 'Z') {
      return this.emit('S', this.text[at + 1] === 'Z' ? 2 : 1)
    }
    if (this.has(at, 'SC')) return this.stepSc()
    if (at === this.last && this.has(at - 2, 'AI', 'OI')) return this.emit('', 1)
    return this.emit('S', this.has(at + 1, 'S', 'Z') ? 2 : 1)
  }

  stepSc(): void {
    const at = this.at
    if (this.text[at + 2] === 'H') {
      if (this.has(at + 3, 'OO', 'ER', 'EN', 'UY', 'ED', 'EM')) {
        return this.emit(this.has(at + 3, 'ER', 'EN') ? 'X' : 'SK', 3)
      }
      return this.emit('X', 3)
    }
    return this.emit(this.has(at + 2, 'I', 'E', 'Y') ? 'S' : 'SK', 3)
  }

  stepT(): void {
    const at = this.at
    if (this.has(at, 'TION', 'TIA', 'TCH')) return this.emit('X', 3)
    if (this.has(at, 'TH', 'TTH')) {
      if (this.has(at + 2, 'OM', 'AM') || this.germanic()) return this.emit('T', 2)
      return this.emit('0', this.has(at, 'TTH') ? 3 : 2)
    }
    return this.emit('T', this.has(at + 1, 'T', 'D') ? 2 : 1)
  }

  stepW(): void {
    const at = this.at
    if (this.has(at, 'WR')) return this.emit('R', 2)
    if (at === 0 && (this.vowel(1) || this.has(0, 'WH'))) return this.emit('A', 1)
    if (this.has(at, 'WICZ', 'WITZ')) return this.emit('TS', 4)
    return this.emit('', 1)
  }

  stepX(): void {
    const french =
      this.at === this.last && (this.has(this.at - 3, 'IAU', 'EAU') || this.has(this.at - 2, 'AU', 'OU'))
    return this.emit(french ? '' : 'KS', this.has(this.at + 1, 'C', 'X') ? 2 : 1)
  }
}
