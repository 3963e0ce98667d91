import { BLANK_SOURCE } from './blank-source.ts'
import { CANDIDATES } from './candidates.ts'
import { FEW_DUPLICATES, MANY_DUPLICATES } from './duplicate-shares.ts'
import { EMAIL_NAMES } from './email-names.ts'
import { EXCHANGED_FIELDS } from './exchanged-fields.ts'
import { HEAVY_TYPOS } from './heavy-typos.ts'
import { HISTORIC_DATES } from './historic-dates.ts'
import { HOUSEHOLDS_WITHOUT_BIRTH } from './households-without-birth.ts'
import { INITIALS_ONLY } from './initials-only.ts'
import type { World } from './kit/world.ts'
import { LONE_NAMES } from './lone-names.ts'
import { NAMES_AND_BIRTH } from './names-and-birth.ts'
import { ONE_ADDRESS } from './one-address.ts'
import { RARE_COUNTRY, RARE_TITLE } from './rare-traits.ts'
import { REPEATED_VALUES } from './repeated-values.ts'
import { TWINS } from './twins.ts'
import { TWO_LANGUAGES } from './two-languages.ts'
import { TWO_REGISTERS } from './two-registers.ts'
import { TWO_SURNAMES } from './two-surnames.ts'

/** The world of a million records runs only when it is named. */
export const MILLION = 'email-names-1m'

export const WORLDS: readonly World[] = [
  ...EMAIL_NAMES,
  ...NAMES_AND_BIRTH,
  ...CANDIDATES,
  TWO_SURNAMES,
  LONE_NAMES,
  INITIALS_ONLY,
  HISTORIC_DATES,
  HOUSEHOLDS_WITHOUT_BIRTH,
  TWINS,
  ONE_ADDRESS,
  HEAVY_TYPOS,
  EXCHANGED_FIELDS,
  FEW_DUPLICATES,
  MANY_DUPLICATES,
  BLANK_SOURCE,
  REPEATED_VALUES,
  TWO_LANGUAGES,
  RARE_TITLE,
  RARE_COUNTRY,
  TWO_REGISTERS,
]
