import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readFile, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { explainSystemError } from './system-error.ts'

let folder = ''
const at = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-system-'))
  mkdirSync(at('folder/full'), { recursive: true })
  writeFileSync(at('file'), 'x')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const told = async (call: Promise<unknown>, path?: string) => {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => explainSystemError(cause, path),
  )
  return error instanceof EngineError ? [error.code, error.message] : error
}

// The system's own errors are thrown here.
test('a missing file is reported with its path', async () => {
  const missing = at('none.bam')
  const message = `there is no file or folder "${missing}"; give the path of one that is there`
  expect(await told(open(missing))).toEqual(['not_found', message])
  const [code, text] = (await told(open(at('file/below')))) as string[]
  expect(code).toBe('not_found')
  expect(text).toContain('a part of that path is a file')
})

test('a folder in place of a file is reported, with the path of who read it', async () => {
  const message = `the file or folder "${at('folder')}" is a folder; give the path of a file`
  expect(await told(readFile(at('folder')), at('folder'))).toEqual(['bad_input', message])
})

test('existing files and folders that are not empty are reported', async () => {
  expect(await told(mkdir(at('folder')))).toEqual([
    'already_exists',
    `the file or folder "${at('folder')}" is there already; give another path`,
  ])
  expect(await told(rmdir(at('folder')))).toEqual([
    'conflict',
    `the file or folder "${at('folder')}" is not empty; empty it, or give another path`,
  ])
})

/** An error as Node throws it, for failures that cannot be caused on every system. */
const thrown = (code: string, syscall: string, path?: string) =>
  Promise.reject(Object.assign(new Error(`${code}: raw`), { code, syscall, errno: -1, path }))

test.each([
  ['EACCES', 'open', /^this user may not use the file or folder "\/x"; change its rights/],
  ['EACCES', 'mkdir', /^this user may not make the file or folder "\/x"; give another one/],
  ['EROFS', 'open', /^the file or folder "\/x" is on a disk that can only be read/],
  ['ENOSPC', 'write', /^the disk of the file or folder "\/x" is full; make room/],
  ['EMFILE', 'open', /^too many files are open; raise the limit/],
  ['ENXIO', 'open', /^the system does not open the file or folder "\/x" \(ENXIO\)/],
])('%s of %s is a sentence', async (code, syscall, sentence) => {
  const [, message] = (await told(thrown(code, syscall, '/x'))) as string[]
  expect(message).toMatch(sentence)
  expect(message).not.toContain('raw')
})

test('a path that nobody names is not made up', async () => {
  const [, message] = (await told(thrown('ENOSPC', 'write'))) as string[]
  expect(message).toBe(
    'the disk of the file or folder that was named is full; make room and try again',
  )
})

test('other errors are returned unchanged', async () => {
  const bug = new TypeError('a bug')
  expect(await told(Promise.reject(bug), '/x')).toBe(bug)
})
