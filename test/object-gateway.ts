import { hasCeph, startCeph } from '../engine/shared/blobs/support/ceph.ts'
import { shareGateway } from '../engine/shared/blobs/support/s3-server.ts'

// Starts Ceph's object gateway once for all test files; each has a bucket of its own in it. Where Ceph is not
// installed, their buckets are in s3rver, which keeps fewer of the promises of S3.

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!hasCeph()) return undefined
  const ceph = await startCeph()
  shareGateway(ceph.endpoint)
  return async () => {
    shareGateway(undefined)
    await ceph.stop()
  }
}
