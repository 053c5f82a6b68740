import { z } from '@hono/zod-openapi'
import type { Endpoint } from '../http/endpoint.ts'
import { defineOperation } from './operation.ts'
import type { StagingEngine } from './staging-engine.ts'
import { NO_ALGORITHM, NO_VERSION, ofAlgorithm, ofVersion, STAGING, TAG } from './staging-names.ts'
import { algorithm, finding, version } from './staging-shapes.ts'

const NEEDS_ADMIN = { role: 'STAGING_ADMIN' } as const

/** Endpoints that create, read, change and delete algorithms. */
export function algorithmOperations({
  keys,
  staging: { catalogue },
}: StagingEngine): readonly Endpoint[] {
  const path = `${STAGING}/{algorithm}`
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${STAGING}/algorithms`,
      pathParameters: z.object({}),
      summary: 'All algorithms',
      success: [200, z.array(algorithm)],
      failures: {},
      handle: () => catalogue.algorithms(),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path,
      pathParameters: ofAlgorithm,
      summary: 'One algorithm',
      success: [200, algorithm],
      failures: { 404: NO_ALGORITHM },
      handle: ({ path }) => catalogue.algorithm(path.algorithm),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path,
      pathParameters: ofAlgorithm,
      body: algorithm,
      ...NEEDS_ADMIN,
      summary: 'Create an algorithm',
      // An algorithm named "algorithms" is then rejected with 400, not as an unsupported method.
      takesReserved: true,
      success: [201, algorithm],
      failures: { 400: 'The algorithm exists already, or is not valid.' },
      handle: ({ caller, path, body }) => catalogue.createAlgorithm(caller, path.algorithm, body),
    }),
    defineOperation(keys, TAG, {
      method: 'PUT',
      path,
      pathParameters: ofAlgorithm,
      body: algorithm,
      ...NEEDS_ADMIN,
      summary: 'Change an algorithm',
      success: [200, algorithm],
      failures: { 400: 'The algorithm is not valid.', 404: NO_ALGORITHM },
      handle: ({ caller, path, body }) => catalogue.updateAlgorithm(caller, path.algorithm, body),
    }),
    defineOperation(keys, TAG, {
      method: 'DELETE',
      path,
      pathParameters: ofAlgorithm,
      ...NEEDS_ADMIN,
      summary: 'Delete an algorithm that has no versions',
      success: [204],
      failures: { 400: 'The algorithm has versions.', 404: NO_ALGORITHM },
      handle: ({ caller, path }) => catalogue.deleteAlgorithm(caller, path.algorithm),
    }),
  ])
}

/** Endpoints for versions of an algorithm, and for operations on a whole version. */
export function versionOperations(engine: StagingEngine): readonly Endpoint[] {
  const { keys, staging } = engine
  const { catalogue } = staging
  const path = `${STAGING}/{algorithm}/{version}`
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${STAGING}/{algorithm}/versions`,
      pathParameters: ofAlgorithm,
      summary: 'The versions of an algorithm',
      success: [200, z.array(version)],
      failures: { 404: NO_ALGORITHM },
      handle: ({ caller, path }) => catalogue.versions(caller, path.algorithm),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path,
      pathParameters: ofVersion,
      summary: 'One version',
      success: [200, version],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path }) => staging.version(caller, path).describe(),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path,
      pathParameters: ofVersion,
      body: version,
      ...NEEDS_ADMIN,
      summary: 'Create an empty version',
      success: [201, version],
      failures: { 400: 'The version exists already, or is not valid.', 404: NO_ALGORITHM },
      handle: ({ caller, path, body, warnings }) =>
        catalogue.createVersion(caller, path, body, (text) => warnings.add('body', text)),
    }),
    defineOperation(keys, TAG, {
      method: 'PUT',
      path,
      pathParameters: ofVersion,
      body: version,
      ...NEEDS_ADMIN,
      summary: 'Update the metadata of a version',
      success: [200, version],
      failures: { 400: 'The version is not valid.', 404: NO_VERSION },
      handle: ({ caller, path, body, warnings }) =>
        catalogue.updateVersion(caller, path, body, (text) => warnings.add('body', text)),
    }),
    defineOperation(keys, TAG, {
      method: 'DELETE',
      path,
      pathParameters: ofVersion,
      ...NEEDS_ADMIN,
      summary: 'Delete a version with its schemas, tables and histories',
      success: [204],
      failures: {
        400: '`latest` is an alias; give the name of the version itself.',
        404: NO_VERSION,
      },
      handle: ({ caller, path }) => catalogue.deleteVersion(caller, path),
    }),
    ...wholeVersionOperations(engine, path),
  ])
}

function wholeVersionOperations({ keys, staging }: StagingEngine, path: string): Endpoint[] {
  return [
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${path}/copy`,
      pathParameters: ofVersion,
      body: version,
      ...NEEDS_ADMIN,
      summary: 'Copy all schemas and tables into a new version, without their histories',
      description: 'The body names the target: an existing algorithm and a new version.',
      success: [204],
      failures: {
        400: 'The target algorithm does not exist, or the target version does already.',
        404: NO_VERSION,
      },
      handle: ({ caller, path, body, warnings }) =>
        staging.catalogue.copyVersion(caller, path, body, (text) => warnings.add('body', text)),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${path}/invalidate_cache`,
      pathParameters: ofVersion,
      ...NEEDS_ADMIN,
      summary: 'Clear the cache of a version',
      success: [204],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path }) => staging.invalidateCache(caller, path),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${path}/fill_cache`,
      pathParameters: ofVersion,
      ...NEEDS_ADMIN,
      summary: 'Load a version into memory ahead of requests',
      success: [204],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path }) => staging.fillCache(caller, path),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${path}/findings`,
      pathParameters: ofVersion,
      summary: 'References between schemas and tables that lead nowhere',
      success: [200, z.array(finding)],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path }) => staging.version(caller, path).findings(),
    }),
  ]
}
