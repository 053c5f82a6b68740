import type { Role } from '../../shared/access/grants.ts'
import { EngineError } from '../../shared/errors.ts'

/** Actions on the bytes of a submitted file (submission.md 2, 13.2). */
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
  /** States of the file in which the action is allowed. */
  readonly states: readonly string[]
  /** Whether the action changes the file, which requires an open project. */
  readonly changes: boolean
}

const BEGINNING = ['registered', 'uploading', 'error']

const RULES: Readonly<Record<FileAction, Rule>> = Object.freeze({
  upload: { role: 'create', states: BEGINNING, changes: true },
  initiate_multipart: { role: 'create', states: BEGINNING, changes: true },
  upload_part: { role: 'create', states: ['uploading'], changes: true },
  list_parts: { role: 'read', states: ['uploading'], changes: false },
  complete_multipart: { role: 'create', states: ['uploading'], changes: true },
  // Allowed in closed projects, so that unfinished uploads can be removed.
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

/**
 * Throws if the state of a file does not allow an action.
 * @throws EngineError `bad_input`
 */
export function requireFileState(fileState: string, action: FileAction): void {
  if (RULES[action].states.includes(fileState)) return
  throw new EngineError('bad_input', `File in ${fileState} state, ${action} not allowed`)
}
