import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readManifest, uniteWanted } from './manifest.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-manifest-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'

function manifest(text: string | Uint8Array): Promise<unknown> {
  const path = join(folder, 'some.txt')
  writeFileSync(path, text)
  return readManifest(path)
}

test('columns go by name, in any order, with the names of file tables too', async () => {
  const one = { id: 'a-1', folder: 'a-1', name: 'x "1".bam', md5: MD5, size: 12 }
  expect(
    await manifest(
      `\ufeffsize\tstate\tid\tmd5\tfilename\r\n12\tok\ta-1\t${MD5}\tx "1".bam\r\n\r\n`,
    ),
  ).toEqual([one])
  const upper = MD5.toUpperCase()
  expect(await manifest(`id\tfile_size\tmd5sum\tfile_name\na-1\t12\t${upper}\tx "1".bam`)).toEqual([
    one,
  ])
})

test('what makes no sense counts as unknown; the id alone is enough', async () => {
  expect(await manifest('id\tmd5\tsize\tfilename\na\tx\t-1\t\nb\n')).toEqual([
    { id: 'a', folder: 'a' },
    { id: 'b', folder: 'b' },
  ])
  expect(await manifest('')).toEqual([])
})

// Rscript -e 'write.table(d, sep="\t", row.names=FALSE)', and packed
test('a manifest that R wrote is read without its quotes, also packed with gzip', async () => {
  const text = `"id"\t"filename"\t"md5"\t"size"\n"a-1"\t"x \\"1\\".bam"\t"${MD5}"\t1e+05\n`
  const one = { id: 'a-1', folder: 'a-1', name: 'x "1".bam', md5: MD5, size: 100_000 }
  expect(await manifest(text)).toEqual([one])
  expect(await manifest(gzipSync(text))).toEqual([one])
  const cut = manifest(gzipSync(text).subarray(0, 30))
  await expect(cut).rejects.toThrow('manifest "some.txt" is truncated or damaged')
})

test('a column may occur twice with the same cells, and no others', async () => {
  expect(await manifest('id\tsize\tid\na\t1\ta\n')).toMatchObject([{ id: 'a', size: 1 }])
  await expect(manifest('id\tid\na\tb\n')).rejects.toThrow(
    'manifest "some.txt": column id occurs twice in line 1, as columns 1 and 2, which differ in line 2',
  )
})

test('text in UTF-16 and an archive are named', async () => {
  await expect(manifest(Buffer.from('\ufeffid\na\n', 'utf16le'))).rejects.toMatchObject({
    code: 'bad_input',
    message: 'manifest "some.txt": it is text in UTF-16; save it as UTF-8',
  })
  await expect(manifest('PK\x03\x04')).rejects.toThrow('it is a ZIP archive')
})

test.each([
  ['name\tmd5\nx\ty\n', 'manifest "some.txt", line 2: there is no column id'],
  ['id\nok\n../x\n', 'manifest "some.txt", line 3: "../x" is not a file id'],
])('%j is refused with its line', async (text, message) => {
  await expect(manifest(text)).rejects.toMatchObject({ code: 'bad_input', message })
})

test('a manifest that is not there, or is a folder, is reported with its path', async () => {
  const path = join(folder, 'none.txt')
  await expect(readManifest(path)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`no file or folder "${path}"`),
  })
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(`"${folder}" is a folder`),
  })
})

test('an id that is named twice is one file, with all that is known of it', () => {
  const [a, b] = [
    { id: 'A', folder: 'A' },
    { id: 'a', folder: 'a', size: 3 },
  ]
  expect(uniteWanted([[a], [b, { id: 'c', folder: 'c' }]])).toEqual([
    { id: 'A', folder: 'A', size: 3 },
    { id: 'c', folder: 'c' },
  ])
})
