import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment } from './disposition.ts'

test('a plain name is unquoted', () => {
  expect(attachment('demo_slice-1.2+a@b=c.bam')).toBe(
    'attachment; filename=demo_slice-1.2+a@b=c.bam',
  )
})

test('other characters are replaced one by one, after the encoded full name', () => {
  expect(attachment('Müller (1)😀.bam')).toBe(
    "attachment; filename*=UTF-8''M%C3%BCller%20%281%29%F0%9F%98%80.bam; filename=M_ller__1__.bam",
  )
})

test('a name of nothing but controls still makes a name', () => {
  expect(attachment('\r\n')).toBe('attachment; filename=download')
})

test('no name brings a character that a header cannot hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(attachment(name)).toMatch(
        /^attachment; (filename\*=UTF-8''[\w.~!%-]+; )?filename=[\w.\-+@=]+$/,
      )
    }),
    { seed: 11 },
  )
})
