import { z } from '@hono/zod-openapi'
import type { DrsBlob, DrsObject } from '../../engine/commons/index.ts'

/** Address of the service as the client sees it. */
export interface Address {
  /**
   * Scheme, host and port.
   * @example 'https://data.example.org'
   */
  readonly origin: string
  /** Path prefix of the service. */
  readonly prefix: string
}

/** Access id of the only access method that needs a call to `/access/{access_id}`. */
export const HTTPS_ACCESS = 'https'

/** Paths of the htsget services, keyed by format. */
const HTSGET_PATHS: Readonly<Record<string, string>> = {
  BAM: '/reads/',
  CRAM: '/reads/',
  VCF: '/variants/',
  BCF: '/variants/',
}

/** MIME types, keyed by format. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  BAM: 'application/vnd.ga4gh.bam',
  CRAM: 'application/vnd.ga4gh.cram',
  JSON: 'application/json',
  TSV: 'text/tab-separated-values',
  TXT: 'text/plain',
  HDF5: 'application/x-hdf5',
  'BCR XML': 'application/xml',
  XML: 'application/xml',
}

/** Converts an object to its form in the interface (DRS 1.5, DrsObject). */
export function drsObject(object: DrsObject, address: Address) {
  const { id, name, size, createdAt, updatedAt, checksums, description, aliases } = object
  const drsUri = drsUris(address)
  const shared = {
    id,
    name,
    self_uri: drsUri(id),
    size,
    created_time: createdAt.toISOString(),
    updated_time: updatedAt.toISOString(),
    checksums,
    ...(description === undefined ? {} : { description }),
    ...(aliases.length === 0 ? {} : { aliases }),
  }
  if (object.kind === 'blob') {
    const mimeType = MIME_TYPES[formatOf(object)] ?? 'application/octet-stream'
    return { ...shared, mime_type: mimeType, access_methods: accessMethods(object, address) }
  }
  const contents = object.contents.map((one) => ({
    ...one,
    drs_uri: [drsUri(one.id)],
  }))
  return { ...shared, version: object.version, contents }
}

/**
 * Returns how the DRS URIs of objects are made. The host is read once for the thousands of a bundle.
 * @example drsUris({ origin: 'https://data.example.org' })('a b') // 'drs://data.example.org/a%20b'
 */
function drsUris({ origin }: Pick<Address, 'origin'>): (id: string) => string {
  const { host } = new URL(origin)
  return (id) => `drs://${host}/${encodeURIComponent(id)}`
}

const formatOf = ({ dataFormat = '' }: DrsBlob) => dataFormat.toUpperCase()

/** Returns the access methods of a blob: URLs of open bytes, or the access endpoint for controlled ones. */
function accessMethods(blob: DrsBlob, { origin, prefix }: Address) {
  const { id, isOpen, isStored } = blob
  const base = `${origin}${prefix}`
  const https = isOpen
    ? { access_url: { url: `${base}/data/${id}` } }
    : { access_id: HTTPS_ACCESS, authorizations: drsAuthorizations(blob) }
  const path = HTSGET_PATHS[formatOf(blob)]
  const htsget =
    path && isStored ? [{ type: 'htsget', access_url: { url: `${base}${path}${id}` } }] : []
  return [{ type: 'https', ...https, available: isStored }, ...htsget]
}

/** Returns how requests for an object are authorised. */
export function drsAuthorizations({ id, isOpen }: Pick<DrsBlob, 'id' | 'isOpen'>) {
  return { drs_object_id: id, supported_types: [isOpen ? 'None' : 'BearerAuth'] }
}

const authorizations = z.object({
  drs_object_id: z.string().optional(),
  supported_types: z.array(z.string()),
})

export const accessUrlShape = z.object({
  url: z.string(),
  headers: z.array(z.string()).optional(),
})

export const drsObjectShape = z
  .object({
    id: z.string(),
    name: z.string(),
    self_uri: z.string(),
    size: z.int(),
    created_time: z.iso.datetime(),
    updated_time: z.iso.datetime(),
    version: z.string().optional(),
    mime_type: z.string().optional(),
    checksums: z.array(z.object({ type: z.string(), checksum: z.string() })),
    access_methods: z
      .array(
        z.object({
          type: z.string(),
          access_url: accessUrlShape.optional(),
          access_id: z.string().optional(),
          available: z.boolean().optional(),
          authorizations: authorizations.optional(),
        }),
      )
      .optional(),
    contents: z
      .array(z.object({ id: z.string(), name: z.string(), drs_uri: z.array(z.string()) }))
      .optional(),
    description: z.string().optional(),
    aliases: z.array(z.string()).optional(),
  })
  .openapi('DrsObject')

export const authorizationsShape = authorizations.openapi('DrsAuthorizations')
