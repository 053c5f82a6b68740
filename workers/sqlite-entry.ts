import { parentPort, workerData } from 'node:worker_threads'
import { SqliteHost } from '../engine/shared/database/sqlite/host.ts'
import type { Request, ThreadTask } from '../engine/shared/database/sqlite/protocol.ts'

const host = new SqliteHost(workerData as ThreadTask)

parentPort?.on('message', (request: Request) => {
  parentPort?.postMessage(host.answer(request))
  if (request.ask.kind === 'close') parentPort?.close()
})
