import { expect, test } from 'vitest'
import { blobKey, checkName } from './blob-key.ts'

const ID = '4e9a2c1d-7b53-5a0e-8f46-0123456789ab'

test('an id and a plain name make a key, as they are', () => {
  for (const name of [
    'demo.bam',
    '..bai',
    '...',
    ' ',
    'a b',
    'é.txt',
    '%2e%2e',
    '~',
    'x'.repeat(255),
  ]) {
    expect(blobKey(ID, name)).toEqual({ id: ID, name })
  }
})

test.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])(
  'UUIDs of any version are ids (%s)',
  (id) => {
    expect(blobKey(id, 'x').id).toBe(id)
  },
)

test.each([
  ...['', '.', '..', '../x', '..\\x', '/etc/passwd', 'a/b', 'a\\b', 'a/../../b', 'x\u0000.bam'],
  ...['line\nbreak', 'tab\tulator', '\u007f', '\u0085', 'x'.repeat(256), 'é'.repeat(128)],
])('a name that is no plain file name makes none (%j)', (name) => {
  expect(() => blobKey(ID, name)).toThrow(
    expect.objectContaining({ code: 'bad_input', at: 'name' }),
  )
})

test.each([
  ...['', '.', '..', '../x', ID.slice(1), `${ID}/..`, `${ID}\n`, `/${ID}`, ID.replace('-', '/')],
  ...[ID.replace('4', '٤'), `${ID}\u0000`, ID.toUpperCase(), 'x'.repeat(100_000)],
])('an id that is no UUID in lower case makes none (%#)', (id) => {
  expect(() => blobKey(id, 'x')).toThrow(expect.objectContaining({ code: 'bad_input', at: 'id' }))
})

test('the complaint says where the name stood and stays short', () => {
  const long = 'x'.repeat(1_000_000)
  try {
    checkName(long, 'filename')
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_input', at: 'filename' })
    expect(String(error).length).toBeLessThan(600)
  }
})
