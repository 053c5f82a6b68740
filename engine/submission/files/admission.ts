import { checkName } from '../../shared/blobs/blob-key.ts'
import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import {
  projectNamed,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from '../transactions/permissions.ts'
import { lockMessage } from '../transactions/project-states.ts'
import { entitiesById } from '../transactions/store/entities.ts'
import { type FileAction, requireFileState, ruleOf } from './file-actions.ts'
import { findUpload, type Upload } from './upload-store.ts'

/** Identifies a submitted file and the caller who requests it. */
export interface FileRequest extends SubmissionCaller {
  readonly program: string
  readonly project: string
  /** Path of the HTTP request, for errors about the state of the project. */
  readonly path: string
  /** Id of the file's entity. */
  readonly id: string
}

export interface FileUploadRequest extends FileRequest {
  readonly uploadId: string
}

/**
 * Returns the requested file after checking that the action is allowed for this caller and in the states of
 * the file and its project (submission.md 2, 13.2).
 * @throws EngineError `not_found` for an unknown project or file; `unauthenticated` without a principal;
 *   `forbidden` without the role; `bad_input` if the state of the project or file does not allow the action
 */
export async function admitFile(
  rows: Rows,
  request: FileRequest,
  action: FileAction,
): Promise<StoredEntity> {
  const project = await projectNamed(rows, request)
  const { role, changes } = ruleOf(action)
  requireRoles(requirePrincipal(request), project, [role], action)
  const [entity] = await entitiesById(rows, [request.id.toLowerCase()])
  if (entity?.projectId !== project.projectId || entity.fileState === null) {
    const message = `File ${request.id.slice(0, 80)} doesn't exist in ${project.projectId}`
    throw new EngineError('not_found', message)
  }
  const by = { path: request.path, isAdministrator: false }
  const locked = changes ? lockMessage(project, 'put', by) : undefined
  if (locked !== undefined) throw new EngineError('bad_input', locked)
  requireFileState(entity.fileState, action)
  return entity
}

/**
 * Returns the requested multipart upload with its file, after checking that the action is allowed.
 * @throws EngineError as `admitFile`; `not_found` if the file has no such upload that is still open
 */
export async function admitUpload(
  rows: Rows,
  request: FileUploadRequest,
  action: FileAction,
): Promise<{ readonly entity: StoredEntity; readonly upload: Upload }> {
  const entity = await admitFile(rows, request, action)
  const { uploadId } = request
  const upload = await findUpload(rows, uploadId)
  const isOpen = upload?.kind === 'parts' && upload.step === 'receiving'
  if (isOpen && upload.entityId === entity.id) return { entity, upload }
  const message = `Upload ${uploadId.slice(0, 80)} doesn't exist, or has been completed or aborted`
  throw new EngineError('not_found', message)
}

/**
 * Checks that the entity has a valid file name, under which its bytes will be stored.
 * @throws EngineError `bad_input` if there is no file name, or one that is not allowed
 */
export function requireFileName({ id, properties }: StoredEntity): void {
  if (typeof properties.file_name === 'string') checkName(properties.file_name, 'file_name')
  else throw new EngineError('bad_input', `File ${id} has no file_name; give it one first`)
}

/**
 * Throws if an upload of a file cannot start, or a multipart upload cannot be completed now.
 * @param uploads all uploads of the file
 * @param kind of the upload to start or complete
 * @throws EngineError `conflict` if another body is arriving, or earlier data are being processed
 */
export function requireFree(
  { id }: StoredEntity,
  uploads: readonly Upload[],
  kind: Upload['kind'],
): void {
  const isArriving = uploads.some((one) => one.kind === 'whole' && one.step === 'receiving')
  if (isArriving && kind === 'whole') {
    throw new EngineError('conflict', `File ${id} is being uploaded by another request`)
  }
  if (uploads.every(({ step }) => step === 'receiving')) return
  const message = `Former data of file ${id} are being removed; try again later`
  throw new EngineError('conflict', message)
}
