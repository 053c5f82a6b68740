import type { TestProject } from 'vitest/node'
import { type S3Server, startS3 } from '../engine/shared/blobs/support/s3-server.ts'

// Makes the tests of the interfaces store their files in a bucket, as several servers do; see places.ts. The
// bucket's server starts once, before any test file is collected.

declare module 'vitest' {
  export interface ProvidedContext {
    /** The options of the bucket; absent if files are stored in folders. */
    objects: S3Server['options']
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const storage = await startS3()
  project.provide('objects', storage.options)
  return () => storage.stop()
}
