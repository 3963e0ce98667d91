import type { ClueField } from '../enrich/columns/names.ts'

/** What a column of a file of people can hold. `identifier` and `trait` have a kind of their own: `identifier:ssn`. */
export const PERSON_FIELDS = [
  'record_id', 'name', 'first_name', 'middle_name', 'last_name', 'other_last_name', 'name_suffix',
  'birth_date', 'birth_year', 'birth_month', 'birth_day', 'gender',
  'address', 'house_number', 'street_direction', 'street_name', 'street_type', 'street_post_direction', 'address_2',
  'city', 'state', 'zip', 'city_state_zip', 'phone', 'email', 'employer', 'identifier', 'trait',
] as const // prettier-ignore
export type PersonField = (typeof PERSON_FIELDS)[number]

/** Fields by which one record can be told to be the same person as another; a file needs at least one of them. */
export const TELLING_FIELDS: readonly PersonField[] = ['name', 'first_name', 'last_name', 'phone', 'email', 'identifier'] // prettier-ignore

/** Fields of which a record may have several values. */
export const REPEATED_FIELDS: ReadonlySet<PersonField> = new Set(['phone', 'email', 'identifier', 'trait', 'other_last_name']) // prettier-ignore

interface Named {
  readonly field: PersonField
  /** Of an identifier or trait: what the linker calls it, so that columns of two files are one comparison. */
  readonly kind?: string
}

// Letters and digits of column names, lower case. Names that an enriched list has too are in src/enrich/columns/names.ts.
const NAMES: readonly (readonly [Named, readonly string[]])[] = [
  [{ field: 'record_id' }, ['id', 'recordid', 'uniqueid', 'recid', 'rowid', 'uid', 'recordnumber', 'recordno']],
  [{ field: 'first_name' }, ['fnamec1', 'givenname1', 'firstname1', 'givennames', 'forenames', 'christianname']],
  [{ field: 'middle_name' }, ['fnamec2', 'givenname2', 'middlenames', 'secondname', 'midname']],
  [{ field: 'last_name' }, ['lnamec1', 'surnames', 'lastnames']],
  [{ field: 'other_last_name' }, ['maidenname', 'formername', 'formerlastname', 'previouslastname', 'previoussurname', 'birthname', 'aliaslastname', 'segundoapellido']],
  [{ field: 'name_suffix' }, ['suffix', 'namesuffix', 'generation', 'suffixname']],
  [{ field: 'birth_year' }, ['birthyear', 'by', 'yearofbirth', 'yob', 'dobyear', 'birthyr']],
  [{ field: 'birth_month' }, ['birthmonth', 'bm', 'monthofbirth', 'mob', 'dobmonth']],
  [{ field: 'birth_day' }, ['birthday', 'bd', 'dayofbirth', 'dobday']],
  [{ field: 'gender' }, ['gender', 'sex', 'gendercode', 'sexcode', 'sexo']],
  [{ field: 'city' }, ['suburb', 'cityortown']],
  [{ field: 'zip' }, ['postcodefake', 'zipcode5', 'reszip']],
  [{ field: 'employer' }, ['employer', 'employername', 'company', 'companyname', 'organization', 'organisation']],
  [{ field: 'identifier', kind: 'ssn' }, ['ssn', 'socsecid', 'socialsecurity', 'socialsecuritynumber', 'socialsecurityno']],
  [{ field: 'identifier', kind: 'drivers_license' }, ['driverslicense', 'driverlicense', 'driverslicensenumber', 'dlnumber', 'licensenumber']],
  [{ field: 'identifier', kind: 'passport' }, ['passport', 'passportnumber', 'passportno']],
  [{ field: 'identifier', kind: 'npi' }, ['npi', 'npinumber']],
  [{ field: 'trait', kind: 'birthplace' }, ['birthplace', 'placeofbirth', 'pob']],
  [{ field: 'trait', kind: 'occupation' }, ['occupation', 'profession', 'jobtitle']],
  [{ field: 'trait', kind: 'ethnicity' }, ['race', 'ethnicity', 'raceethnicity', 'ethnicorigin']],
] // prettier-ignore

const BY_NAME = new Map(NAMES.flatMap(([named, names]) => names.map((name) => [name, named] as const)))

/** Columns that usually hold the true person of a record: they never count as evidence. */
const TRUTH_NAMES = new Set(['truth', 'cluster', 'clusterid', 'entityid', 'personid', 'simulantid', 'entid', 'trueid', 'trueperson', 'truthid', 'groundtruth']) // prettier-ignore

export function plainName(column: string): string {
  return column
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** Returns the field that a column of people is called after, where only files of people have it. */
export function fieldNamed(column: string): Named | undefined {
  return BY_NAME.get(plainName(column))
}

export function isTruthName(column: string): boolean {
  return TRUTH_NAMES.has(plainName(column))
}

// A list that is enriched may name people and properties by ids of Platbook and of counties; an age changes every year.
const OF_LISTS: ReadonlySet<ClueField> = new Set(['person_id', 'property_id', 'apn', 'county', 'key', 'age'])

/** Returns the field of people that a field of enriched lists is; undefined for those that do not tell people apart. */
export function personField(field: ClueField): PersonField | undefined {
  return OF_LISTS.has(field) ? undefined : (field as Exclude<ClueField, 'person_id' | 'property_id' | 'apn' | 'county' | 'key' | 'age'>) // prettier-ignore
}
