import { describe, expect, test } from 'vitest'
import { dispositionName, isPlainId, safeName } from './names.ts'

const DNA = '\u{1f9ec}'

describe('names of files', () => {
  test.each([
    ['a.bam', 'a.bam'],
    ['Größe 2 (b).tsv', 'Größe 2 (b).tsv'],
    ['.hidden', '.hidden'],
    ['../../x', '.._.._x'],
    ['..\\..\\x', '.._.._x'],
    ['/etc/passwd', '_etc_passwd'],
    ['C:\\x', 'C__x'],
    ['a\0b', 'a_b'],
    ['a\r\nb', 'a__b'],
    ['a\u202etxt.exe', 'a_txt.exe'],
    ['.', 'the-id'],
    ['..', 'the-id'],
    ['', 'the-id'],
    ['   ', 'the-id'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['lpt1', '_lpt1'],
    ['console', 'console'],
    ['x. .', 'x_'],
    ['x.part', 'x.part_'],
    ['x.PART.json', 'x.PART.json_'],
    ['\ud800x', '\ufffdx'],
  ])('%j becomes %j', (given, safe) => {
    expect(safeName(given, 'the-id')).toBe(safe)
  })

  test.each([
    [`${'n'.repeat(4000)}.bam.bai`, '.bam.bai'],
    [`${DNA.repeat(100)}.vcf.gz`, '.vcf.gz'],
    ['.'.repeat(300).concat('x'), 'x'],
  ])(
    'a long one is cut to 240 bytes of whole characters and retains its ending',
    (given, ending) => {
      const safe = safeName(given, 'the-id')
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(240)
      expect(safe.isWellFormed() && !safe.includes('\ufffd')).toBe(true)
      expect(safe.endsWith(ending) || given.startsWith('.')).toBe(true)
    },
  )
})

describe('the name of a Content-Disposition', () => {
  test.each([
    ['attachment; filename=a.bam', 'a.bam'],
    ['attachment; filename="a b.bam"', 'a b.bam'],
    ['attachment; filename="a\\"b"', 'a"b'],
    ["attachment; filename=a_b; filename*=UTF-8''a%20b", 'a b'],
    ["attachment; filename*=UTF-8''%ff; filename=a_b", 'a_b'],
    ['attachment;FileName = a.bam ', 'a.bam'],
    ['attachment', undefined],
    ['attachment; filename=', undefined],
    [undefined, undefined],
  ])('of %j is %j', (header, name) => {
    expect(dispositionName(header)).toBe(name)
  })
})

test.each([
  ['9c8b1a4e-0000-4000-8000-000000000000', true],
  ['P-1.file_2', true],
  ['..', false],
  ['.x', false],
  ['x.', false],
  ['a/b', false],
  ['a%2fb', false],
  ['con', false],
  ['', false],
  ['x'.repeat(129), false],
])('%j as an id is %j', (id, isOne) => {
  expect(isPlainId(id)).toBe(isOne)
})
