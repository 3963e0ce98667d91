/**
 * SQL that writes JSON text, so that DuckDB and not this process puts documents together.
 * `strlen` counts bytes, which is what documents are cut by.
 */

/** The JSON of a text, number, boolean or null. */
export function json(expression: string): string {
  return `coalesce(to_json(${expression})::varchar, 'null')`
}

/** A JSON object's members without its braces: `"a":…,"b":…`. Values are SQL that gives JSON text. */
export function members(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(
    ([name, value], index) => `'${index === 0 ? '' : ','}"${name}":', ${value}`,
  )
  return `concat(${parts.join(', ')})`
}

export function object(values: Readonly<Record<string, string>>): string {
  return `concat('{', ${members(values)}, '}')`
}

/** The JSON of a part of an address: always a text, empty where it isn't known. */
export function addressPart(expression: string): string {
  return `to_json(coalesce(${expression}, ''))::varchar`
}

/** The summary of an address of a person; `of` is the alias of an addresses row. */
export function addressSummary(of: string): string {
  return object({
    address_id: json(`${of}.address_id`),
    full_address: addressPart(`${of}.full_address`),
    city: addressPart(`${of}.city`),
    state: addressPart(`${of}.state`),
    line1: addressPart(`${of}.line1`),
    zip: addressPart(`${of}.zip`),
  })
}

/** `{lat, lng}`, or null where one of them is not known. */
export function position(latitude: string, longitude: string): string {
  return `case when ${latitude} is null or ${longitude} is null then 'null' else ${object({
    lat: json(latitude),
    lng: json(longitude),
  })} end`
}

/** A packed birth date (see birth.ts) of the text `date_of_birth`; the dead have the uppermost bit set. */
export function packedBirth(of: string): string {
  const part = (group: number): string =>
    `coalesce(try_cast(regexp_extract(${of}.date_of_birth, '^(\\d{4})(?:-(\\d{2})(?:-(\\d{2}))?)?', ${group}) as bigint), 0)`
  const packed = `case when ${part(1)} = 0 then 0 else ${part(1)} * 10000 + ${part(2)} * 100 + ${part(3)} end`
  return `(${packed} + case when ${of}.is_dead then 2147483648 else 0 end)::uinteger`
}
