import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  finished,
  type MadeCodes,
  madeCodes,
  packagesOf,
  READER,
  refusal,
} from '../support/made-codes.ts'
import { readingsOf } from './code-form.ts'

let made: MadeCodes
beforeEach(async () => {
  made = await madeCodes()
  const codes = ['0002-1975', '99207-466', '60505-0001', '00021-975', '12345-0678', '1234-5067']
  await made.importNdc(
    finished(...codes.map((code) => [code, code] as const)),
    packagesOf(
      ...['0002-1975-90', '99207-466-01', '60505-0001-2', '00021-975-30'],
      ...['12345-0678-9', '1234-5067-89', '1234-5067-80'],
    ),
  )
})
afterEach(() => made?.[Symbol.asyncDispose]())

const found = async (code: string) => (await made.ndc.product(READER, code)).record.ndc

describe('a code with hyphens', () => {
  test.each([
    ['0002-1975', '0002-1975'],
    ['0002-1975-90', '0002-1975'],
    ['99207-466-01', '99207-466'],
    ['60505-0001-2', '60505-0001'],
  ])('%s is product %s', async (code, product) => expect(await found(code)).toBe(product))

  test.each(['0002-1976', '0002-1975-91', '0002-1975-9', '0002-9999-90'])(
    '%s does not exist',
    async (code) => {
      expect(await refusal(() => found(code))).toMatchObject({ code: 'not_found' })
      await expect(() => found(code)).rejects.toThrow(`NDC code '${code}' does not exist.`)
    },
  )

  test.each([
    ...[
      '',
      '0002',
      '2-1975',
      '0002-19',
      '0002-19755',
      '000002-1975',
      '0002-1975-',
      '0002-1975-900',
    ],
    ...['0002-1975-90-1', ' 0002-1975', '0002-1975\n', '0002‐1975', 'abcd-efgh', '０００２-1975'],
  ])('%j is of no valid form', async (code) => {
    expect(await refusal(() => found(code))).toEqual({ code: 'bad_input', at: 'code' })
  })
})

describe('a code without hyphens', () => {
  test.each([
    // From the columns NDC and ELEVEN_DIGIT_NDC of the table of 2015.
    ['0002197590', '0002-1975'],
    ['00002197590', '0002-1975'],
    ['9920746601', '99207-466'],
    ['99207046601', '99207-466'],
    ['6050500012', '60505-0001'],
    ['60505000102', '60505-0001'],
    ['00021097530', '00021-975'],
    // The same as 5-4-2, and NINE_DIGIT_NDC of the same table.
    ['00002-1975-90', '0002-1975'],
    ['99207-0466-01', '99207-466'],
    ['60505-0001-02', '60505-0001'],
    ['000021975', '0002-1975'],
    ['992070466', '99207-466'],
    ['605050001', '60505-0001'],
  ])('%s is product %s', async (code, product) => expect(await found(code)).toBe(product))

  test('is separated from another product by its package', async () => {
    // These ten digits may be 0002-1975-30 or 00021-975-30.
    expect(await found('0002197530')).toBe('00021-975')
  })

  test('that fits a product without that package names a package that is not there', async () => {
    expect(await refusal(() => found('9920746699'))).toMatchObject({ code: 'not_found' })
    await expect(() => found('9920746699')).rejects.toThrow(
      "NDC code '99207-466-99' does not exist.",
    )
  })

  test.each(['00002-1975-91', '00002-9999-90', '12345-6789-01'])(
    'that is 5-4-2 and no package, as %s, is not there',
    async (code) => expect(await refusal(() => found(code))).toMatchObject({ code: 'not_found' }),
  )

  test.each(['00002197590', '0002197590', '00002-1975-90', '0002-1975-90', '000021975'])(
    'written as %s is found by words',
    async (q) => {
      const { records } = await made.ndc.search(READER, { q })
      expect(records.map(({ ndc }) => ndc)).toEqual(['0002-1975'])
    },
  )

  test('that fits several, or none, is refused', async () => {
    // These ten digits may be 1234-5067-89 or 12345-0678-9.
    expect(await refusal(() => found('1234506789'))).toEqual({ code: 'bad_input', at: 'code' })
    await expect(() => found('1234506789')).rejects.toThrow('1234-5067-89, 12345-0678-9')
    expect(await found('1234506780')).toBe('1234-5067')
    for (const code of [
      '0000000000',
      '99999999999',
      '00021975',
      '000021975901',
      '999999999',
      '00021975x0',
    ]) {
      expect(await refusal(() => found(code))).toEqual({ code: 'bad_input', at: 'code' })
    }
  })
})

test('eleven digits are read with a zero taken from one segment', () => {
  expect(readingsOf('01234056708')).toEqual([
    { product: '1234-0567', package: '08' },
    { product: '01234-567', package: '08' },
    { product: '01234-0567', package: '8' },
  ])
  expect(readingsOf('12345678999')).toEqual([])
})
