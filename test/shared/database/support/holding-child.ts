import { writeSync } from 'node:fs'
import { takeFolder } from '../../../../engine/shared/database/folder-lock.ts'

// Takes a folder as a server does, and keeps it until it is killed, whatever is collected as garbage.

takeFolder(process.argv[2] ?? '')
globalThis.gc?.()
writeSync(1, 'taken\n')
setInterval(() => {}, 1000)
