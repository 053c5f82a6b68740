import { type CodeKind, type ReadCodes, readCodes } from '../../parts/typed-code.ts'
import type { Json, ServiceRequest } from '../../service/service.ts'

/** Responses of the staging interface, with the members that the page reads. */
export interface SchemaEntry {
  readonly id: string
  readonly title: string
  readonly discriminators?: readonly SchemaInput[]
}

export interface SchemaInput {
  readonly key: string
  readonly name: string
  readonly description?: string
  readonly table?: string
  readonly default?: string
  readonly unit?: string
  readonly used_for_staging?: boolean
}

export interface Schema {
  readonly id: string
  readonly title: string
  readonly description?: string
  readonly notes?: string
  readonly inputs: readonly SchemaInput[]
  readonly outputs?: readonly { readonly key: string; readonly name: string }[]
}

export interface StagingTable {
  readonly id: string
  readonly title: string
  readonly definition: readonly {
    readonly type: 'INPUT' | 'DESCRIPTION' | 'ENDPOINT'
    readonly key: string
    readonly name: string
  }[]
  readonly rows: readonly (readonly string[])[]
}

/** A staged case. */
export interface Staged {
  readonly result: string
  readonly schema_id?: string
  readonly output: Readonly<Record<string, string>>
  readonly errors: readonly {
    readonly type: string
    readonly message: string
    readonly key?: string
  }[]
  readonly explain?: readonly Step[]
}

/** A table that was used. It has the matching row if there was one. */
export interface Step {
  readonly table: string
  readonly purpose: string
  readonly mapping?: string
  /** Row index, 0-based. */
  readonly row?: number
  readonly inputs: readonly {
    readonly key: string
    readonly value?: string
    readonly cell?: string
  }[]
  readonly endpoints?: readonly { readonly key: string; readonly cell: string }[]
}

/** Inputs of a case, keyed by name. */
export type Inputs = Readonly<Record<string, string>>

/** Inputs whose codes may be typed in everyday form. All algorithms use the same names for them. */
const KINDS: Readonly<Record<string, CodeKind>> = {
  site: 'site',
  hist: 'histology',
  behavior: 'behavior',
  year_dx: 'year',
}

/** Converts inputs as they were typed. */
export const readInputs = (typed: Inputs): ReadCodes => readCodes(typed, KINDS)

/** A version of an algorithm. */
export interface Version {
  readonly algorithm: string
  readonly version: string
}

const at = ({ algorithm, version }: Version, rest: string): string =>
  `/rest/staging/${encodeURIComponent(algorithm)}/${encodeURIComponent(version)}/${rest}`

export const stageRequest = (version: Version, inputs: Inputs): ServiceRequest => ({
  path: at(version, 'stage'),
  query: { explain: 'true' },
  body: inputs,
  credential: 'key',
})

/** Creates the request that stages many cases at once. */
export const stageManyRequest = (version: Version, cases: readonly Json[]): ServiceRequest => ({
  path: at(version, 'stage/batch'),
  lines: cases,
  credential: 'key',
})

export const lookupRequest = (version: Version, inputs: Inputs): ServiceRequest => ({
  path: at(version, 'schemas/lookup'),
  body: inputs,
  credential: 'key',
})

export const tableRequest = (version: Version, id: string): ServiceRequest => ({
  path: at(version, `table/${encodeURIComponent(id)}`),
  credential: 'key',
})

export const schemaRequest = (version: Version, id: string): ServiceRequest => ({
  path: at(version, `schema/${encodeURIComponent(id)}`),
  credential: 'key',
})
