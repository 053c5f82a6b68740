import { startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'

// A server that speaks S3, in a separate process: `node s3-process.ts HOST PORT`. Prints its settings when it
// listens, and ends on SIGTERM.

const [host = '127.0.0.1', port = '0'] = process.argv.slice(2)
const server = await startS3({ host, port: Number(port) })
process.once('SIGTERM', () => void server.stop())
process.stdout.write(`${JSON.stringify(server.environment)}\n`)
