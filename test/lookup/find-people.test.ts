import { describe, expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { inventedLookup, people } from './asking.ts'

const world = inventedLookup()
const { jane, john, johnInMiami, walter, maria, linh, catherine, jonathan } = INVENTED

describe('names', () => {
  test.each([
    ['first and last name', { first_name: 'Jane', last_name: 'Smith' }, [jane]],
    ['case, accents and punctuation are ignored', { first_name: 'JÁNE', last_name: "smith'" }, [jane]],
    ['a suffix is ignored', { last_name: 'Smith Jr.', first_name: 'John' }, [john, johnInMiami]],
    ['a former name finds its person', { first_name: 'Linh', last_name: 'Nguyen' }, [linh]],
    ['a surname of several words', { last_name: 'de la Cruz' }, [maria]],
    [
      'a middle name must be the one asked',
      { first_name: 'John', middle_name: 'Robert', last_name: 'Smith' },
      [johnInMiami],
    ],
    ['a whole name in any order', { name: 'smith, john' }, [john, johnInMiami]],
    ['a single word', { name: 'Catherine' }, [catherine]],
    ['beginnings of words', { name: 'cath obr' }, [catherine]],
    ['a punctuated surname', { name: "O'Brien" }, [catherine]],
  ] as const)('%s', (_, asked, ids) => {
    expect(people(world.lookup, { ...asked, strict_match: true }).ids).toEqual(ids)
  })

  test('a first name asked for is not found as a middle name', () => {
    expect(people(world.lookup, { first_name: 'Ann', last_name: 'Smith', strict_match: true }).total).toBe(0)
  })

  test('whole words go before beginnings: Jonathan is no answer while there are Johns', () => {
    expect(people(world.lookup, { name: 'john' }).ids).not.toContain(jonathan)
    expect(people(world.lookup, { name: 'jonat' }).ids).toEqual([jonathan])
  })
})

describe('fuzzy names', () => {
  test.each([
    ['a nickname', { first_name: 'Cathy', last_name: 'OBrien' }, catherine],
    ['a name that sounds alike', { first_name: 'Kathryn', last_name: 'OBrien' }, catherine],
    ['an initial', { first_name: 'C', last_name: 'OBrien' }, catherine],
    ['a letter mistyped', { first_name: 'Jame', last_name: 'Smith' }, jane],
    ['two letters mistyped in a longer word', { first_name: 'Kathaarine', last_name: 'OBrien' }, catherine],
    ['a middle initial', { first_name: 'Jane', middle_name: 'A', last_name: 'Smith' }, jane],
    [
      'a middle name that the record does not have',
      { first_name: 'Jonathan', middle_name: 'Q', last_name: 'Smythe' },
      jonathan,
    ],
  ] as const)('%s is found when nothing is found exactly', (_, asked, id) => {
    expect(people(world.lookup, asked).ids).toContain(id)
    expect(people(world.lookup, { ...asked, strict_match: true }).total).toBe(0)
  })

  test('asked for on the first pass, exact matches rank above all fuzzy ones', () => {
    const { results } = people(world.lookup, {
      first_name: 'John',
      last_name: 'Smith',
      include_fuzzy_matching: true,
    })
    expect(results.map(({ id }) => id).slice(0, 2)).toEqual([john, johnInMiami])
    expect(results.map(({ id }) => id)).toContain(jonathan)
    expect(Math.max(...results.slice(2).map(({ match_score }) => match_score))).toBeLessThan(50)
  })

  test('one letter off a short word is a typing error, two are another name', () => {
    expect(people(world.lookup, { first_name: 'Lihn', last_name: 'Tran' }).ids).toEqual([linh])
    expect(people(world.lookup, { first_name: 'Linh', last_name: 'Taxm' }).total).toBe(0)
  })
})

describe('locations', () => {
  test.each([
    ['a state with a name', { last_name: 'Smith', state_code: 'FL' }, [johnInMiami]],
    ['a city', { city: 'miami beach' }, [johnInMiami, maria, linh]],
    ['a ZIP', { zipcode: '33139', last_name: 'Tran' }, [linh]],
    ['a full street', { street: '9 Ocean Drive', zipcode: '33139' }, [johnInMiami, maria]],
    ['a street without its number', { street: 'Ocean Dr' }, [johnInMiami, maria]],
    ['a street without its suffix', { street: '301 Oak', city: 'Austin' }, [catherine, walter]],
    ['a direction written out', { street: '125 North Main Street' }, [jonathan]],
    ['a unit, when given, must match', { street: '123 N Main St Apt 4' }, [jane, john]],
    ['whatever a unit is called', { street: '123 N Main St #4', city: 'Austin' }, [jane, john]],
    [
      'a street with its city in one field',
      { street: '9 Ocean Dr, Miami Beach, FL 33139' },
      [johnInMiami, maria],
    ],
    ['a hyphenated house number', { street: '45-12 Bell Blvd', name: 'CROWDA' }, ['P0000000030']],
  ] as const)('%s', (_, asked, ids) => {
    expect(people(world.lookup, { ...asked, strict_match: true }).ids).toEqual(ids)
  })

  test('a suffix that is not the street’s finds nobody', () => {
    expect(people(world.lookup, { street: '9 Ocean Ave', strict_match: true }).total).toBe(0)
  })

  test('all parts hold for one address: a city of one and a ZIP of another are no match', () => {
    const asked = {
      first_name: 'Jane',
      last_name: 'Smith',
      city: 'Austin',
      zipcode: '78664',
      strict_match: true,
    }
    expect(people(world.lookup, { ...asked, include_historical_locations: true }).total).toBe(0)
  })

  test('addresses of the past count only when asked for', () => {
    const asked = { last_name: 'Smith', city: 'Round Rock', strict_match: true }
    expect(people(world.lookup, asked).total).toBe(0)
    expect(people(world.lookup, { ...asked, include_historical_locations: true }).ids).toEqual([jane])
  })

  test('a radius reaches from the ZIP to the next one, and not to another city', () => {
    expect(people(world.lookup, { zipcode: '78701', radius: 3, strict_match: true }).ids).toContain(catherine)
    expect(people(world.lookup, { zipcode: '78701', radius: 1, strict_match: true }).ids).not.toContain(
      catherine,
    )
    expect(people(world.lookup, { zipcode: '78701', radius: 100, strict_match: true }).ids).not.toContain(
      maria,
    )
  })

  test('a radius around a place that nothing is known of is plain matching', () => {
    expect(people(world.lookup, { zipcode: '99999', radius: 100, last_name: 'Smith' }).total).toBe(0)
  })

  test('without a match the search widens to 5, then 25 miles around the place', () => {
    expect(
      people(world.lookup, { first_name: 'Catherine', last_name: 'OBrien', zipcode: '78701' }).ids,
    ).toEqual([catherine])
    expect(
      people(world.lookup, {
        first_name: 'Catherine',
        last_name: 'OBrien',
        zipcode: '78701',
        strict_match: true,
      }).total,
    ).toBe(0)
    expect(
      people(world.lookup, { first_name: 'Catherine', last_name: 'OBrien', zipcode: '33139' }).total,
    ).toBe(0)
  })
})

describe('phones, e-mails, ages', () => {
  test('a searched phone stands first even where the list is capped', () => {
    const [found] = people(world.lookup, { phone: '(512) 555-0105' }).results
    expect(found?.phones.map(({ number }) => number)).toEqual([
      '(512) 555-0105',
      '(512) 555-0101',
      '(512) 555-0100',
      '(512) 555-0102',
    ])
    expect(found?.result_metadata['phones']).toEqual({ displayed: 4, additional: 2 })
    expect(found?.matched_by).toEqual(['phone'])
  })

  test('a searched e-mail stands first', () => {
    const [found] = people(world.lookup, { email: 'JAS@example.com' }).results
    expect(found?.emails.map(({ email }) => email)).toEqual([
      'jas@example.com',
      'jane.smith@example.com',
      'jsmith@example.com',
    ])
  })

  test('phone and name must both hold', () => {
    expect(people(world.lookup, { phone: INVENTED.sharedPhone, first_name: 'John' }).ids).toEqual([john])
    expect(
      people(world.lookup, { phone: INVENTED.sharedPhone, first_name: 'Maria', strict_match: true }).total,
    ).toBe(0)
  })

  test('known ages outside the range are left out, unknown ones stay', () => {
    expect(people(world.lookup, { city: 'Miami Beach', min_age: 60 }).ids).toEqual([johnInMiami, linh])
    expect(
      people(world.lookup, { city: 'Miami Beach', min_age: 60 }).results.map(({ matched_by }) => matched_by),
    ).toEqual([['address', 'age'], ['address']])
  })

  test('the dead are found, without an age', () => {
    expect(people(world.lookup, { last_name: 'Graves' }).results).toMatchObject([
      { id: walter, is_dead: true, age: null },
    ])
  })

  test('a birth year alone gives an age by the year', () => {
    expect(people(world.lookup, { last_name: 'De La Cruz' }).results).toMatchObject([{ age: 56 }])
  })
})

describe('pages', () => {
  test('pages follow each other without gaps, and the total stays', () => {
    const whole = people(world.lookup, { city: 'Austin', page_size: 15 })
    const pages = [1, 2, 3].flatMap(
      (page) => people(world.lookup, { city: 'Austin', page, page_size: 5 }).ids,
    )
    expect(pages).toEqual(whole.ids)
    expect(people(world.lookup, { city: 'Austin', page: 2, page_size: 5 }).total).toBe(whole.total)
    expect(people(world.lookup, { city: 'Austin', page: 10, page_size: 15 })).toMatchObject({
      total: whole.total,
      ids: [],
    })
  })

  test('search results are capped and say what is left out', () => {
    const [found] = people(world.lookup, { first_name: 'Jane', last_name: 'Smith' }).results
    expect(found?.result_metadata).toEqual({
      details_url: `/v2/person/${jane}`,
      phones: { displayed: 4, additional: 2 },
      emails: { displayed: 3, additional: 2 },
      historic_addresses: { displayed: 5, additional: 2 },
      owned_properties: { displayed: 2, additional: 0 },
    })
    expect(found?.historic_addresses).toHaveLength(5)
  })
})

test('whatever is typed, the search ends at once', () => {
  const long = 'A'.repeat(2_000)
  for (const text of [long, 'a '.repeat(500), '!!!', '%', "'; drop table people", '\t\n', '0']) {
    expect(people(world.lookup, { name: text }).total).toBe(0)
    expect(people(world.lookup, { street: text, zipcode: '78701', strict_match: true }).total).toBe(0)
    expect(people(world.lookup, { city: text, strict_match: true }).total).toBe(0)
    expect(people(world.lookup, { phone: text }).total).toBe(0)
    expect(people(world.lookup, { email: text }).total).toBe(0)
  }
})
