import { writeSync } from 'node:fs'
import { takeFolder } from '../../../../engine/shared/database/folder-lock.ts'

// Locks a folder as a server does until it is killed, even if garbage is collected.

takeFolder(process.argv[2] ?? '')
globalThis.gc?.()
writeSync(1, 'taken\n')
setInterval(() => {}, 1000)
