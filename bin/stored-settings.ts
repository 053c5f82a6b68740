import { auditOf, objectStorage, presigningOf, readConfig } from '../server/config.ts'
import { remoteFiles } from './remote/remote-files.ts'

/** Reads the settings that all commands share: storage of files and state, and the dictionary. */
export function readStoredSettings() {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^CASEMILL_(S3_|DICTIONARY$|STATE_URL$|STATE_MIGRATE$|RESERVE_BYTES$|REMOTE_HOSTS$|ALGORITHM_TABLE$|EDIT_RULES$)/.test(
        name,
      ),
    ),
  )
  const config = readConfig({ environment })
  return {
    objects: objectStorage(config),
    dictionaryFolder: config.dictionary ?? undefined,
    stateUrl: config.stateUrl ?? undefined,
    stateMigrates: config.stateMigrate ?? undefined,
    reserveBytes: config.reserveBytes,
    algorithmTable: config.algorithmTable ?? undefined,
    editRules: config.editRules ?? undefined,
    addresses: remoteFiles(config.remoteHosts),
  }
}

/** Returns whether the service may give clients presigned URLs of the bucket. */
export function readPresigns(): boolean {
  const { CASEMILL_PRESIGN, CASEMILL_PRESIGN_CONTROLLED } = process.env
  const environment = { CASEMILL_PRESIGN, CASEMILL_PRESIGN_CONTROLLED }
  const { open, controlled } = presigningOf(readConfig({ environment }))
  return open || controlled
}

/** Returns how the audit record is kept, or undefined if it is not. */
export function readAudit() {
  const { CASEMILL_AUDIT, CASEMILL_AUDIT_DAYS } = process.env
  return auditOf(readConfig({ environment: { CASEMILL_AUDIT, CASEMILL_AUDIT_DAYS } }))
}

/** Returns whether the group may read stored files. */
export function readGroupRead(): boolean {
  const { CASEMILL_GROUP_READ } = process.env
  return readConfig({ environment: { CASEMILL_GROUP_READ } }).groupRead === true
}
