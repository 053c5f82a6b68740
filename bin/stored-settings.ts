import { EngineError, type ObjectStoreOptions } from '../engine/shared/index.ts'
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

/**
 * Returns how to connect to a bucket.
 * @param url `s3://BUCKET/PREFIX`, at the endpoint of the settings, or `https://HOST/BUCKET/PREFIX`; by default the
 *   bucket of the settings
 * @throws EngineError `bad_input` if the URL is neither, or if there is none and no setting
 */
export function readBucket(url?: string): ObjectStoreOptions {
  const settings = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('CASEMILL_S3_')),
  )
  const environment = url === undefined ? settings : { ...settings, ...bucketSettings(url) }
  const options = objectStorage(readConfig({ environment }))
  if (options) return options
  throw new EngineError(
    'bad_input',
    `no bucket is set up; set CASEMILL_S3_BUCKET, or ${BUCKET_FORMS}`,
  )
}

const BUCKET_FORMS =
  'name one with --bucket s3://BUCKET/PREFIX or --bucket https://HOST/BUCKET/PREFIX'

function bucketSettings(text: string): Readonly<Record<string, string>> {
  const url = URL.parse(text)
  const isPlain = url && url.username + url.password + url.search + url.hash === ''
  const path = url ? pathOf(url) : []
  if (isPlain && url.protocol === 's3:' && url.port === '') {
    return { CASEMILL_S3_BUCKET: url.hostname, CASEMILL_S3_PREFIX: path.join('/') }
  }
  const [bucket = '', ...prefix] = path
  if (isPlain && /^https?:$/.test(url.protocol) && bucket !== '') {
    return {
      CASEMILL_S3_ENDPOINT: url.origin,
      CASEMILL_S3_PATH_STYLE: 'true',
      CASEMILL_S3_BUCKET: bucket,
      CASEMILL_S3_PREFIX: prefix.join('/'),
    }
  }
  // A password must not be shown.
  const given = JSON.stringify(text.replace(/\/\/[^/]*@/, '//'))
  throw new EngineError('bad_input', `${given} is not the address of a bucket; ${BUCKET_FORMS}`)
}

/** Returns the parts of a path, or none if it is not encoded rightly. */
function pathOf(url: URL): readonly string[] {
  try {
    return url.pathname.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return []
  }
}
