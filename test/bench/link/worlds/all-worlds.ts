import { EMAIL_NAMES } from './email-names.ts'
import { HOUSEHOLDS_WITHOUT_BIRTH } from './households-without-birth.ts'
import type { World } from './kit/world.ts'
import { NAMES_AND_BIRTH } from './names-and-birth.ts'

/** The world of a million records runs only when it is named. */
export const MILLION = 'email-names-1m'

export const WORLDS: readonly World[] = [...EMAIL_NAMES, NAMES_AND_BIRTH, HOUSEHOLDS_WITHOUT_BIRTH]
