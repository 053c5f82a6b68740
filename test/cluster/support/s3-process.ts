import { hasCeph } from '../../../engine/shared/blobs/support/ceph.ts'
import { shareGateway, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'

// A server that speaks S3, in a separate process: `node s3-process.ts HOST PORT`. Prints its settings when it
// listens, and ends on SIGTERM. Its machine may be a namespace, which does not reach the gateway of the other tests.

const [host = '127.0.0.1', port = '0'] = process.argv.slice(2)
shareGateway(undefined)
const store = hasCeph() ? 'ceph' : 's3rver'
const server = await startS3({ host, port: Number(port), store })
process.once('SIGTERM', () => void server.stop())
process.stdout.write(`${JSON.stringify(server.environment)}\n`)
