import { parseDocument } from 'yaml'
import { EngineError } from '../errors.ts'
import type { Job } from '../executor.ts'
import { isObject } from '../unknowns.ts'

/** As much as a thread reads in half a second. */
export const MOST_MANIFEST_BYTES = 1 << 20
/** Faults that are told; a manifest of another kind has one per line. */
const MOST_FAULTS = 100
const MOST_ALIASES = 100

const ID = /^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$/
const MD5 = /^[a-f0-9]{32}$/
const TEXTS = ['file_name', 'local_file_path', 'type', 'project_id'] as const

export interface ManifestVerdict {
  readonly valid: boolean
  readonly errors?: readonly string[]
}

/** Judges a manifest by what the transfer client asks of one (submission 14). */
export const judgeManifestJob: Job<{ readonly bytes: Uint8Array }, ManifestVerdict> = {
  name: 'submission-files.judge-manifest',
  run: ({ bytes }) => judgeUploadManifest(Buffer.from(bytes).toString()),
}

/** @throws EngineError `too_large` */
export function requireManifestSize(bytes: Uint8Array): void {
  if (bytes.byteLength <= MOST_MANIFEST_BYTES) return
  const message = `the manifest is larger than the limit of ${MOST_MANIFEST_BYTES} bytes`
  throw new EngineError('too_large', message)
}

export function judgeUploadManifest(text: string): ManifestVerdict {
  const faults = [...faultsOf(text)]
  return faults.length === 0 ? { valid: true } : { valid: false, errors: faults }
}

function* faultsOf(text: string): Generator<string> {
  const read = readYaml(text)
  if ('fault' in read) return yield read.fault
  const { value } = read
  if (!isObject(value)) return yield 'the manifest is not an object'
  // What is no list is not looked into, by the client's schema.
  const files: readonly unknown[] = Array.isArray(value.files) ? value.files : []
  let told = 0
  for (const [i, file] of files.entries()) {
    for (const fault of faultsOfFile(file)) {
      if (++told > MOST_FAULTS) return yield 'there are more faults'
      yield `files[${i}]: ${fault}`
    }
  }
}

function readYaml(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    const document = parseDocument(text, {
      version: '1.1',
      schema: 'yaml-1.1',
      prettyErrors: false,
    })
    const [error] = document.errors
    if (error) return { fault: `the manifest is not valid YAML at character ${error.pos[0]}` }
    return { value: document.toJS({ maxAliasCount: MOST_ALIASES }) }
  } catch {
    return { fault: 'the manifest has too many aliases, or is nested too deeply' }
  }
}

function* faultsOfFile(file: unknown): Generator<string> {
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
