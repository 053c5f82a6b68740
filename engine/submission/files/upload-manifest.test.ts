import { expect, test } from 'vitest'
import { MANIFEST_LIMITS, requireManifestSize, validateUploadManifest } from './upload-manifest.ts'

const ID = 'd411ee1b-3a2f-4a86-8eb4-716e19d20c0c'
const FILE = `files:\n- id: ${ID}\n  file_name: a\n  project_id: P-Q\n`

// Expected results of `jsonschema.Draft4Validator(UPLOAD_MANIFEST_SCHEMA).validate(yaml.safe_load(text))`,
// with the schema of gdc-client 2.x, jsonschema 4.10 and PyYAML 6.0.
test.each([
  FILE,
  `files:\n- id: ${ID.toUpperCase()}\n  local_file_path: a\n  project_id: P-Q\n  file_size: 5\n  md5sum: ${'a'.repeat(32)}\n  samples: [{id: x}]\n`,
  JSON.stringify({ files: [{ id: ID, file_name: 'a', project_id: 'P-Q' }] }),
  'files: []\n',
  'other: 1\n',
  'files: 5\n',
  'files: {}\n',
  `files:\n- &a\n  id: ${ID}\n  file_name: a\n  project_id: P-Q\n- *a\n`,
  `${FILE}  file_size: 0x10\n`,
])('%j is a manifest', (text) => {
  expect(validateUploadManifest(text)).toEqual({ valid: true })
})

test.each([
  ['- 1\n', 'the manifest is not an object'],
  ['text', 'the manifest is not an object'],
  ['', 'the manifest is not an object'],
  ['files:\n- 1\n', 'files[0]: this is not an object'],
  ['files:\n- file_name: a\n  project_id: P-Q\n', "files[0]: 'id' is a required property"],
  [
    `files:\n- id: ${ID}\n  project_id: P-Q\n`,
    "files[0]: 'file_name' or 'local_file_path' is a required property",
  ],
  [`files:\n- id: ${ID}\n  file_name: a\n`, "files[0]: 'project_id' is a required property"],
  [FILE.replace(ID, 'x'), "files[0]: 'id' is not a UUID"],
  [FILE.replace('file_name: a', 'file_name: null'), "files[0]: 'file_name' is not a text"],
  [FILE.replace('file_name: a', 'file_name: yes'), "files[0]: 'file_name' is not a text"],
  [FILE.replace('file_name: a', 'file_name: 5'), "files[0]: 'file_name' is not a text"],
  [`${FILE}  file_size: '5'\n`, "files[0]: 'file_size' is not a whole number"],
  [`${FILE}  file_size: 5.5\n`, "files[0]: 'file_size' is not a whole number"],
  [
    `${FILE}  md5sum: ${'A'.repeat(32)}\n`,
    "files[0]: 'md5sum' is not of 32 hexadecimal digits in lower case",
  ],
  [`${FILE}  type: 5\n`, "files[0]: 'type' is not a text"],
  ['files: [', 'the manifest is not valid YAML at character 8'],
  ['a: b: c', 'the manifest is not valid YAML at character 3'],
])('%j is none, and why is reported', (text, message) => {
  expect(validateUploadManifest(text)).toEqual({ valid: false, errors: [message] })
})

test('issues of all files are reported, up to a hundred', () => {
  const { errors = [] } = validateUploadManifest(`files:\n${'- {id: x}\n'.repeat(200)}`)
  expect(errors).toHaveLength(101)
  expect(errors.at(-1)).toBe('there are more issues')
})

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('')
/** Nested aliases: each level contains the previous one ten times. */
const levels = (value: (before: string) => string) =>
  `a0: &a0 {x: 1}\n${lines(9, (i) => `a${i + 1}: &a${i + 1} ${value(`[${`*a${i},`.repeat(10)}]`)}\n`)}`

test.each([
  ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(101)}]`, 'has more than 100 aliases'],
  ['aliases of aliases', levels((before) => before), 'values, its aliases written out'],
  ['merged aliases', levels((before) => `{<<: ${before}}`), 'values, its aliases written out'],
  ['an alias of nothing', 'a: *b', 'not valid YAML|has an alias of nothing'],
  ['a mapping as a key', '{}: 1', 'is not valid YAML at character 0'],
  ['an alias of a list as a key', 'a: &a [1]\n*a : 1', 'is not valid YAML at character 10'],
  ['a key twice', 'a: 1\nb: 2\na: 3', 'is not valid YAML at character 10'],
  ['two documents', 'a: 1\n--- \nb: 2', 'is not valid YAML at character 5'],
  ['tags on one line', '!a '.repeat(300_000), 'has more than 400000 names, values and marks'],
  ['nested lists', '['.repeat(1_000_000), 'is nested deeper than 32 levels at character 34'],
])('%s are reported', (_, text, message) => {
  const { valid, errors } = validateUploadManifest(text)
  expect([valid, errors?.join()]).toEqual([false, expect.stringMatching(message)])
})

test('an ordered mapping is read as a list, whose keys nobody compares', () => {
  const text = `a: !!omap\n${lines(10_000, (i) => `- k${i}: 1\n`)}`
  expect(validateUploadManifest(text)).toEqual({ valid: true })
})

test('what is too large or has too many lines is refused', () => {
  const large = new Uint8Array(MANIFEST_LIMITS.bytes + 1)
  expect(() => requireManifestSize(large)).toThrow('larger than the limit')
  const long = Buffer.alloc(MANIFEST_LIMITS.lines + 1, '\n')
  expect(() => requireManifestSize(long)).toThrow('more than 50000 lines')
  expect(() => requireManifestSize(long.subarray(1))).not.toThrow()
})
