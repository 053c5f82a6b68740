import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import { readManifestYaml, YamlError } from './manifest-yaml.ts'

/** Limits that are checked before a worker thread parses the manifest. Further limits are in YAML_LIMITS. */
export const MANIFEST_LIMITS = Object.freeze({ bytes: 1 << 20, lines: 50_000 })
/** Maximum number of reported issues. A file that is not a manifest may have an issue in every line. */
const MAX_ISSUES = 100

const LINE_FEED = 0x0a

const ID = /^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$/
const MD5 = /^[a-f0-9]{32}$/
const TEXTS = ['file_name', 'local_file_path', 'type', 'project_id'] as const

export interface ManifestVerdict {
  readonly valid: boolean
  readonly errors?: readonly string[]
}

/** Validates a manifest by the rules of the transfer client (submission.md 14). */
export const validateManifestJob: Job<{ readonly bytes: Uint8Array }, ManifestVerdict> = {
  name: 'submission-files.validate-manifest',
  run: ({ bytes }) => validateUploadManifest(Buffer.from(bytes).toString()),
}

/**
 * Checks the size of a manifest.
 * @throws EngineError `too_large` or `too_many` if it has more bytes or lines than MANIFEST_LIMITS
 */
export function requireManifestSize(bytes: Uint8Array): void {
  const { bytes: size, lines } = MANIFEST_LIMITS
  if (bytes.byteLength > size) {
    const message = `the manifest is larger than the limit of ${size} bytes; make several of it`
    throw new EngineError('too_large', message)
  }
  let count = 0
  for (const byte of bytes) if (byte === LINE_FEED) count++
  if (count > lines) {
    const message = `the manifest has more than ${lines} lines; make several of it`
    throw new EngineError('too_many', message)
  }
}

/** Validates an upload manifest and returns its problems. */
export function validateUploadManifest(text: string): ManifestVerdict {
  const issues = [...issuesIn(text)]
  return issues.length === 0 ? { valid: true } : { valid: false, errors: issues }
}

function* issuesIn(text: string): Generator<string> {
  try {
    yield* issuesOf(readManifestYaml(text))
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    yield error.message
  }
}

function* issuesOf(value: unknown): Generator<string> {
  if (!isObject(value)) return yield 'the manifest is not an object'
  // Like the client's schema, this checks `files` only if it is a list.
  const files: readonly unknown[] = Array.isArray(value.files) ? value.files : []
  let reported = 0
  for (const [i, file] of files.entries()) {
    for (const issue of issuesOfFile(file)) {
      if (++reported > MAX_ISSUES) return yield 'there are more issues'
      yield `files[${i}]: ${issue}`
    }
  }
}

function* issuesOfFile(file: unknown): Generator<string> {
  if (!isObject(file)) return yield 'this is not an object'
  const { id, md5sum, file_size: size } = file
  if (id !== undefined && !(typeof id === 'string' && ID.test(id))) yield "'id' is not a UUID"
  for (const name of TEXTS) {
    const value = file[name]
    if (value !== undefined && typeof value !== 'string') yield `'${name}' is not a text`
  }
  if (size !== undefined && !Number.isInteger(size)) yield "'file_size' is not a whole number"
  if (md5sum !== undefined && !(typeof md5sum === 'string' && MD5.test(md5sum))) {
    yield "'md5sum' is not of 32 hexadecimal digits in lower case"
  }
  for (const name of ['id', 'project_id']) {
    if (file[name] === undefined) yield `'${name}' is a required property`
  }
  if (file.file_name === undefined && file.local_file_path === undefined) {
    yield "'file_name' or 'local_file_path' is a required property"
  }
}
