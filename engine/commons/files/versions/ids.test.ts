import { expect, test } from 'vitest'
import { readIds } from './ids.ts'
import { idsOfManifest } from './manifest-ids.ts'

test('ids are taken in their order, each once, out of arrays in arrays', () => {
  expect(readIds(['B', ['a', ['c ', 'b'], []], '', 'A'])).toEqual(['b', 'a', 'c'])
})

test('arrays in arrays may be as deep as they like', () => {
  let deep: unknown = 'a'
  for (let i = 0; i < 100_000; i++) deep = [deep]
  expect(readIds(deep)).toEqual(['a'])
})

test.each([
  [undefined, 'ids', 'ids is no list; give an array of file ids'],
  ['a,b', 'ids', 'ids is no list; give an array of file ids'],
  [{ a: 1 }, 'ids', 'ids is no list; give an array of file ids'],
  [[], 'ids', 'no ids are given; name at least one file'],
  [['', [' ']], 'ids', 'no ids are given; name at least one file'],
  [['a', 'b', 'c', 7], 'ids[3]', 'ids[3] is no text; give the id of a file'],
  [['a', ['b', [{}]]], 'ids[1][1][0]', 'ids[1][1][0] is no text; give the id of a file'],
])('%j is refused at %s', (given, at, message) => {
  expect(() => readIds(given)).toThrow(expect.objectContaining({ code: 'bad_input', at, message }))
})

test('the column id of a manifest is used, in any position', () => {
  expect(idsOfManifest('id\tfilename\na\tx\nb\ty\n\n')).toEqual(['a', 'b'])
  expect(idsOfManifest('\ufefffilename\tid\tsize\r\nx\ta\r\ny\tb\t1\r\n')).toEqual(['a', 'b'])
  expect(idsOfManifest('\n \nid\na')).toEqual(['a'])
  expect(idsOfManifest('"id"\t"filename"\r\n"a"\t"x\ty"\r\nb\tz\n')).toEqual(['a', 'b'])
})

test('a manifest may be quoted as R writes it, and have a column twice', () => {
  expect(idsOfManifest('"filename"\t"id"\n"5\\" x"\t"a"\n')).toEqual(['a'])
  expect(idsOfManifest('id\tx\tid\ra\t1\ta\r')).toEqual(['a'])
  expect(idsOfManifest(Buffer.from('id\tfilename\na\t5" x\n'))).toEqual(['a'])
})

test('a manifest with too many lines is refused before it is split', () => {
  expect(() => idsOfManifest(Buffer.alloc(5 << 20, '\n'))).toThrow('more than 10000 lines')
  const tabs = Buffer.alloc(5 << 20, '\t')
  expect(() => idsOfManifest(tabs)).toThrow('more than 250000 tabs; send it in parts')
  const quotes = Buffer.alloc(5 << 20, '"')
  expect(() => idsOfManifest(quotes)).toThrow('more than 250000 quotation marks; send it in parts')
})

test.each([
  ['PK\x03\x04', 'body', /it is a ZIP archive/],
  ['id\tid\na\tb\n', 'body', /column id occurs twice in line 1/],
  ['', 'body', /^the body is empty/],
  [' \n\n', 'body', /^the body is empty/],
  ['filename\tmd5\na\tb\n', 'line 1', /has no column "id"/],
  ['{"ids":["a"]}', 'line 1', /has no column "id"/],
  ['id\tfilename\n', 'body', /no line below its header/],
  ['id\tfilename\na\tx\n\ty\n', 'line 3', /^line 3 of the manifest has no id$/],
])('the manifest %j is refused at %s', (text, at, message) => {
  const refused = { code: 'bad_input', at, message: expect.stringMatching(message) }
  expect(() => idsOfManifest(text)).toThrow(expect.objectContaining(refused))
})
