import type { Role } from '../../shared/access/grants.ts'
import { EngineError } from '../../shared/errors.ts'

/** What is asked for of a submitted file's bytes (submission.md 2, 13.2). */
export type FileAction =
  | 'upload'
  | 'initiate_multipart'
  | 'upload_part'
  | 'list_parts'
  | 'complete_multipart'
  | 'abort_multipart'
  | 'delete'

interface Rule {
  readonly role: Role
  readonly states: readonly string[]
  /** Whether it is for open projects alone. */
  readonly changes: boolean
}

const BEGINNING = ['registered', 'uploading', 'error']

const RULES: Readonly<Record<FileAction, Rule>> = Object.freeze({
  upload: { role: 'create', states: BEGINNING, changes: true },
  initiate_multipart: { role: 'create', states: BEGINNING, changes: true },
  upload_part: { role: 'create', states: ['uploading'], changes: true },
  list_parts: { role: 'read', states: ['uploading'], changes: false },
  complete_multipart: { role: 'create', states: ['uploading'], changes: true },
  // What cannot be finished any more can still be cleared away.
  abort_multipart: { role: 'create', states: ['uploading'], changes: false },
  delete: {
    role: 'delete',
    states: ['registered', 'uploading', 'uploaded', 'validating', 'validated', 'error'],
    changes: true,
  },
})

export function ruleOf(action: FileAction): Rule {
  return RULES[action]
}

/** @throws EngineError `bad_input` */
export function requireFileState(fileState: string, action: FileAction): void {
  if (RULES[action].states.includes(fileState)) return
  throw new EngineError('bad_input', `File in ${fileState} state, ${action} not allowed`)
}
