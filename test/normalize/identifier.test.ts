import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressId, businessId, propertyId } from '../../src/normalize/identifier.ts'

test('ids are a letter and ten base62 characters, the same for the same thing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(addressId(text)).toMatch(/^A[0-9A-Za-z]{10}$/)
      expect(businessId(text)).toMatch(/^B[0-9A-Za-z]{10}$/)
      expect(propertyId('12011', text)).toMatch(/^R[0-9A-Za-z]{10}$/)
      expect(addressId(text)).toBe(addressId(text))
    }),
  )
})

test('a property id is of the county and the parcel, however the parcel number is padded', () => {
  expect(propertyId('12011', ' 5042-ab ')).toBe(propertyId('12011', '5042-AB'))
  expect(propertyId('12011', '5042')).not.toBe(propertyId('12086', '5042'))
})

test('ids never change: they are handed out', () => {
  expect(addressId('123|N|MAIN|ST||78701|4')).toBe('AgErRIw2Jms')
})
