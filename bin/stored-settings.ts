import { objectStorage, readConfig } from '../server/config.ts'
import { remoteFiles } from './remote/remote-files.ts'

/**
 * Where files and state are stored and which types there are is the same for all commands; the other
 * settings are for the server.
 */
export function readStoredSettings() {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^CASEMILL_(S3_|DICTIONARY$|STATE_URL$|STATE_MIGRATE$|RESERVE_BYTES$|REMOTE_HOSTS$)/.test(
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
    addresses: remoteFiles(config.remoteHosts),
  }
}

/** Whether the group may read what is stored. */
export function readGroupRead(): boolean {
  const { CASEMILL_GROUP_READ } = process.env
  return readConfig({ environment: { CASEMILL_GROUP_READ } }).groupRead === true
}
