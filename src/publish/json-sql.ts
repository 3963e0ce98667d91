/**
 * Functions that return SQL for JSON text, so that DuckDB builds the documents. In this SQL `strlen` counts
 * bytes, because documents are cut by bytes.
 */

/** Returns SQL for the JSON of a text, number, boolean or null. */
export function json(expression: string): string {
  return `coalesce(to_json(${expression})::varchar, 'null')`
}

/**
 * Returns SQL for the members of a JSON object without its braces: `"a":…,"b":…`. The values are SQL that
 * returns JSON text.
 */
export function members(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(
    ([name, value], index) => `'${index === 0 ? '' : ','}"${name}":', ${value}`,
  )
  return `concat(${parts.join(', ')})`
}

/** Returns SQL for a JSON object. The values are SQL that returns JSON text. */
export function object(values: Readonly<Record<string, string>>): string {
  return `concat('{', ${members(values)}, '}')`
}

/** Returns SQL for the JSON of a part of an address, which is an empty text when unknown, never null. */
export function addressPart(expression: string): string {
  return `to_json(coalesce(${expression}, ''))::varchar`
}

/** Returns SQL for the short form of a person's address. `of` is the alias of a row of addresses. */
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

/** Returns SQL for `{lat, lng}`, or null when one of them is unknown. */
export function position(latitude: string, longitude: string): string {
  return `case when ${latitude} is null or ${longitude} is null then 'null' else ${object({
    lat: json(latitude),
    lng: json(longitude),
  })} end`
}

/**
 * Returns SQL for the packed birth date (lookup/format/birth.ts) in the row with alias `of`. Dead people have
 * the highest bit set.
 */
export function packedBirth(of: string): string {
  const part = (group: number): string =>
    `coalesce(try_cast(regexp_extract(${of}.date_of_birth, '^(\\d{4})(?:-(\\d{2})(?:-(\\d{2}))?)?', ${group}) as bigint), 0)`
  const packed = `case when ${part(1)} = 0 then 0 else ${part(1)} * 10000 + ${part(2)} * 100 + ${part(3)} end`
  return `(${packed} + case when ${of}.is_dead then 2147483648 else 0 end)::uinteger`
}
