import type { Transaction } from '../../shared/database/database.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { entitiesById, setFileState } from '../transactions/store/entities.ts'
import { touchProject } from '../transactions/store/projects.ts'
import type { ReceivedBytes } from './receive.ts'
import { advanceUpload, removeUpload, type Upload, uploadsOf } from './upload-store.ts'

export interface FileState {
  readonly fileState: string
  readonly errorType?: string | null
}

/** Sets the state of a file in the transaction that causes the change. */
export async function changeFileState(
  transaction: Transaction,
  { id, projectId }: Pick<StoredEntity, 'id' | 'projectId'>,
  { fileState, errorType = null }: FileState,
  now: string,
): Promise<void> {
  await touchProject(transaction, projectId)
  await setFileState(transaction, id, { fileState, errorType, now })
}

/** Marks an upload as received. Drops all other uploads of the file and returns them. */
export async function completeUpload(
  transaction: Transaction,
  { id, entityId }: Upload,
  entity: StoredEntity,
  { now, ...received }: Partial<ReceivedBytes> & { readonly now: string },
): Promise<readonly Upload[]> {
  const others = (await uploadsOf(transaction, entityId)).filter((one) => one.id !== id)
  await advanceUpload(transaction, id, { ...received, step: 'checking', server: null, now })
  for (const other of others) await removeUpload(transaction, other.id)
  await changeFileState(transaction, entity, { fileState: 'uploaded' }, now)
  return others
}

/** Drops an upload that will not be completed. */
export async function dropUpload(
  transaction: Transaction,
  { id, entityId }: Upload,
  now: string,
): Promise<void> {
  await removeUpload(transaction, id)
  const others = await uploadsOf(transaction, entityId)
  if (others.some(({ step }) => step === 'receiving')) return
  const [entity] = await entitiesById(transaction, [entityId])
  if (entity?.fileState !== 'uploading') return
  await changeFileState(transaction, entity, { fileState: 'registered' }, now)
}
