import { expect, test } from 'vitest'
import { judgeUploadManifest, MOST_MANIFEST_BYTES, requireManifestSize } from './upload-manifest.ts'

const ID = 'd411ee1b-3a2f-4a86-8eb4-716e19d20c0c'
const FILE = `files:\n- id: ${ID}\n  file_name: a\n  project_id: P-Q\n`

// Verdicts of `jsonschema.Draft4Validator(UPLOAD_MANIFEST_SCHEMA).validate(yaml.safe_load(text))`, with
// the schema of gdc-client 2.x, jsonschema 4.10 and PyYAML 6.0.
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
  expect(judgeUploadManifest(text)).toEqual({ valid: true })
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
])('%j is none, and why is told', (text, told) => {
  expect(judgeUploadManifest(text)).toEqual({ valid: false, errors: [told] })
})

test('faults of all files are told, up to a hundred', () => {
  const { errors = [] } = judgeUploadManifest(`files:\n${'- {id: x}\n'.repeat(200)}`)
  expect(errors).toHaveLength(101)
  expect(errors.at(-1)).toBe('there are more faults')
})

test('what would grow when it is read is refused', () => {
  const deep = judgeUploadManifest('['.repeat(100_000))
  expect(deep.valid).toBe(false)
  const levels = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`)
  const aliases = ['a-1: &a-1 x', ...levels].join('\n')
  expect(judgeUploadManifest(aliases).valid).toBe(false)
  const large = new Uint8Array(MOST_MANIFEST_BYTES + 1)
  expect(() => requireManifestSize(large)).toThrow('larger than the limit')
})
