import type { ClueField } from '../enrich/columns/names.ts'

/** The fields that a column can be read as. `identifier` and `trait` also have a kind: `identifier:ssn`. */
export const PERSON_FIELDS = [
  'record_id', 'name', 'first_name', 'middle_name', 'last_name', 'other_last_name', 'name_suffix',
  'birth_date', 'birth_year', 'birth_month', 'birth_day', 'gender',
  'address', 'house_number', 'street_direction', 'street_name', 'street_type', 'street_post_direction', 'address_2',
  'city', 'state', 'zip', 'city_state_zip', 'phone', 'email', 'employer', 'identifier', 'trait',
] as const // prettier-ignore
export type PersonField = (typeof PERSON_FIELDS)[number]

/** Fields that can identify a person. A file needs at least one of them. */
export const IDENTIFYING_FIELDS: readonly PersonField[] = ['name', 'first_name', 'last_name', 'phone', 'email', 'identifier'] // prettier-ignore

/** Fields of which a record may have several values. */
export const MULTI_VALUED_FIELDS: ReadonlySet<PersonField> = new Set(['phone', 'email', 'identifier', 'trait', 'other_last_name']) // prettier-ignore

interface Named {
  readonly field: PersonField
  /** Kind of an identifier or trait. Columns of two files with the same kind are compared. */
  readonly kind?: string
}

// Usual column names, reduced to lower-case letters and digits. Names that `platbook enrich` knows too are in
// `src/enrich/columns/names.ts`.
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

/** Names of columns that usually hold the true person of a record. Such columns are never compared. */
const TRUTH_NAMES = new Set(['truth', 'cluster', 'clusterid', 'entityid', 'personid', 'simulantid', 'entid', 'trueid', 'trueperson', 'truthid', 'groundtruth']) // prettier-ignore

/** Returns a column name as lower-case letters and digits: `First Name` is `firstname`. */
export function plainName(column: string): string {
  return column
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** Returns the field that a column name means. Knows only the names that `platbook enrich` does not know. */
export function fieldNamed(column: string): Named | undefined {
  return BY_NAME.get(plainName(column))
}

export function isTruthName(column: string): boolean {
  return TRUTH_NAMES.has(plainName(column))
}

// Fields of `platbook enrich` that are not compared here: ids of Platbook and of counties, and the age, which changes
// every year.
const NOT_COMPARED: ReadonlySet<ClueField> = new Set([
  'person_id',
  'property_id',
  'apn',
  'county',
  'key',
  'age',
])

/**
 * Returns the field of this folder for a field of `platbook enrich`; undefined for a field that is not compared.
 */
export function personField(field: ClueField): PersonField | undefined {
  return NOT_COMPARED.has(field) ? undefined : (field as Exclude<ClueField, 'person_id' | 'property_id' | 'apn' | 'county' | 'key' | 'age'>) // prettier-ignore
}
