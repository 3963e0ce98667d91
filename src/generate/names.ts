import { readFileSync } from 'node:fs'
import { type Random, Weighted } from './random.ts'

/** Census frequencies: upper-case words A–Z. */
export interface NameLists {
  readonly surnames: Weighted<string>
  /** First names by sex: 0 women, 1 men. */
  readonly first: readonly [Weighted<string>, Weighted<string>]
}

const FREQUENCIES = new URL('../../data/reference/names.csv', import.meta.url)

/** The lists of `data/reference/names.csv`; a name below the Census's rounding counts a fifth of the least that is above it. */
export function loadNames(): NameLists {
  const columns: [string[], number[]][] = [
    [[], []],
    [[], []],
    [[], []],
  ]
  for (const line of readFileSync(FREQUENCIES, 'utf8').split('\n').slice(1)) {
    const [name = '', ...frequencies] = line.split(',')
    frequencies.forEach((frequency, column) => {
      if (frequency === '') return
      columns[column]![0].push(name)
      columns[column]![1].push(frequency === '0' ? 1 : Number(frequency) * 5)
    })
  }
  const [surnames, women, men] = columns.map(([names, weights]) => new Weighted(names, weights))
  return { surnames: surnames!, first: [women!, men!] }
}

// Written without the spaces, apostrophes and accents that their bearers write.
const SPELLED: Readonly<Record<string, string>> = {
  OBRIEN: "O'BRIEN",
  OCONNOR: "O'CONNOR",
  ONEILL: "O'NEILL",
  ONEAL: "O'NEAL",
  ODONNELL: "O'DONNELL",
  OCONNELL: "O'CONNELL",
  OLEARY: "O'LEARY",
  OHARA: "O'HARA",
  OROURKE: "O'ROURKE",
  DAMICO: "D'AMICO",
  DANGELO: "D'ANGELO",
  DAGOSTINO: "D'AGOSTINO",
  DELACRUZ: 'DE LA CRUZ',
  DELAROSA: 'DE LA ROSA',
  DELATORRE: 'DE LA TORRE',
  DELAGARZA: 'DE LA GARZA',
  DELEON: 'DE LEON',
  DEJESUS: 'DE JESUS',
  DELVALLE: 'DEL VALLE',
  DELRIO: 'DEL RIO',
  VANDYKE: 'VAN DYKE',
  VANHORN: 'VAN HORN',
  VANBUREN: 'VAN BUREN',
  STJOHN: 'ST JOHN',
  STCLAIR: 'ST CLAIR',
  LAROSA: 'LA ROSA',
  PENA: 'PEÑA',
  MUNOZ: 'MUÑOZ',
  NUNEZ: 'NUÑEZ',
  IBANEZ: 'IBAÑEZ',
  CASTANEDA: 'CASTAÑEDA',
  ORDONEZ: 'ORDOÑEZ',
  ZUNIGA: 'ZUÑIGA',
  ACUNA: 'ACUÑA',
  CARDENAS: 'CÁRDENAS',
  RENDON: 'RENDÓN',
  JOSE: 'JOSÉ',
  JESUS: 'JESÚS',
  RENE: 'RENÉ',
  ANDRE: 'ANDRÉ',
  MARIA: 'MARÍA',
  SOFIA: 'SOFÍA',
}

/** As its bearer writes it: `O'BRIEN`, `DE LA CRUZ`, `PEÑA`. */
export function spelled(name: string): string {
  return SPELLED[name] ?? name
}

const NICKNAMES: Readonly<Record<string, readonly string[]>> = {
  JAMES: ['JIM', 'JIMMY', 'JAMIE'],
  JOHN: ['JACK', 'JOHNNY', 'JON'],
  ROBERT: ['BOB', 'ROB', 'BOBBY', 'BERT'],
  MICHAEL: ['MIKE', 'MICKEY'],
  WILLIAM: ['BILL', 'WILL', 'BILLY', 'LIAM'],
  DAVID: ['DAVE', 'DAVEY'],
  RICHARD: ['RICK', 'DICK', 'RICH'],
  CHARLES: ['CHUCK', 'CHARLIE'],
  JOSEPH: ['JOE', 'JOEY'],
  THOMAS: ['TOM', 'TOMMY'],
  CHRISTOPHER: ['CHRIS', 'TOPHER'],
  DANIEL: ['DAN', 'DANNY'],
  MATTHEW: ['MATT'],
  ANTHONY: ['TONY'],
  DONALD: ['DON', 'DONNIE'],
  KENNETH: ['KEN', 'KENNY'],
  STEVEN: ['STEVE'],
  STEPHEN: ['STEVE'],
  EDWARD: ['ED', 'EDDIE', 'TED'],
  RONALD: ['RON', 'RONNIE'],
  TIMOTHY: ['TIM'],
  JEFFREY: ['JEFF'],
  GREGORY: ['GREG'],
  JOSHUA: ['JOSH'],
  ANDREW: ['ANDY', 'DREW'],
  NICHOLAS: ['NICK'],
  BENJAMIN: ['BEN'],
  SAMUEL: ['SAM'],
  ALEXANDER: ['ALEX', 'SASHA'],
  PATRICK: ['PAT', 'PADDY'],
  LAWRENCE: ['LARRY'],
  GERALD: ['JERRY'],
  WALTER: ['WALT'],
  PETER: ['PETE'],
  RAYMOND: ['RAY'],
  FREDERICK: ['FRED', 'FREDDY'],
  FRANCISCO: ['FRANK', 'PACO'],
  HENRY: ['HANK', 'HARRY'],
  MARY: ['MOLLY', 'POLLY'],
  PATRICIA: ['PAT', 'PATTY', 'TRISH'],
  ELIZABETH: ['LIZ', 'BETH', 'BETTY', 'LIBBY'],
  BARBARA: ['BARB', 'BARBIE'],
  SUSAN: ['SUE', 'SUSIE'],
  MARGARET: ['PEGGY', 'MAGGIE', 'MEG'],
  DOROTHY: ['DOT', 'DOTTIE'],
  JENNIFER: ['JEN', 'JENNY'],
  KATHERINE: ['KATE', 'KATHY', 'KIT'],
  CATHERINE: ['CATHY', 'CATE'],
  KATHLEEN: ['KATHY'],
  DEBORAH: ['DEB', 'DEBBIE'],
  REBECCA: ['BECKY'],
  JESSICA: ['JESS', 'JESSIE'],
  VIRGINIA: ['GINNY', 'GINGER'],
  VICTORIA: ['VICKY', 'TORI'],
  PAMELA: ['PAM'],
  SANDRA: ['SANDY'],
  CHRISTINE: ['CHRIS', 'TINA'],
  CYNTHIA: ['CINDY'],
  THERESA: ['TERRY', 'TESS'],
  JUDITH: ['JUDY'],
  KIMBERLY: ['KIM'],
  AMANDA: ['MANDY'],
  STEPHANIE: ['STEPH'],
  SAMANTHA: ['SAM'],
  ABIGAIL: ['ABBY'],
  GUADALUPE: ['LUPE'],
}

/** A nickname that goes with a first name; the name itself when it has none. */
export function nicknameOf(first: string, random: Random): string {
  const nicknames = NICKNAMES[first]
  return nicknames === undefined ? first : random.pick(nicknames)
}

export const SUFFIXES = ['', 'JR', 'SR', 'II', 'III', 'IV'] as const

/** `McDonald`, `O'Brien`, `De La Cruz`, `Smith-Jones`: as people write their names. */
export function titled(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[\s'-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/\b(Iii|Ii|Iv|Ne|Nw|Se|Sw|Fm|Llc|Pllc|Llp|Lp|Pa|Pc|Na|Fsb)\b/g, (word) => word.toUpperCase())
}

/** Accents off: `PEÑA` → `PENA`. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{Mn}/gu, '')
}
