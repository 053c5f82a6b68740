import { connect, type Socket } from 'node:net'
import type { HoldingPlan } from './holding-clients.ts'

// The program of that process: opens the planned connections, reopens closed ones, and prints counts.

const plan = JSON.parse(process.argv[2] ?? '{}') as HoldingPlan
const DRIP_MILLISECONDS = 8000
const PIECE = Buffer.alloc(64 * 1024, ' ')
const OPEN_TOGETHER = 200
const counts = { open: 0, held: 0, opened: 0, closed: 0 }

type Kind = (socket: Socket) => void

const sendNothing: Kind = () => {}

const dripHead: Kind = (socket) => {
  socket.write('GET /status HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const drip = setInterval(() => socket.write('a'), DRIP_MILLISECONDS)
  socket.on('close', () => clearInterval(drip))
}

const stallBody: Kind = (socket) => {
  const head = ['POST /files HTTP/1.1', 'Host: x', 'Content-Type: application/json']
  socket.write(`${[...head, `Content-Length: ${plan.stalledBytes + 1}`].join('\r\n')}\r\n\r\n`)
  let left = plan.stalledBytes
  const fill = () => {
    while (left > 0) {
      const piece = PIECE.subarray(0, left)
      left -= piece.length
      if (!socket.write(piece)) return void socket.once('drain', fill)
    }
    counts.held++
    socket.on('close', () => counts.held--)
  }
  fill()
}

function hold(kind: Kind): void {
  const socket = connect(plan.port, '127.0.0.1')
  socket.on('connect', () => {
    counts.open++
    counts.opened++
    socket.on('close', () => {
      counts.open--
      counts.closed++
    })
    kind(socket)
  })
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(() => hold(kind), plan.returnMilliseconds))
  // The answers are discarded.
  socket.resume()
}

const kinds: Kind[] = [
  ...Array.from({ length: plan.idle }, () => sendNothing),
  ...Array.from({ length: plan.slow }, () => dripHead),
  ...Array.from({ length: plan.stalled }, () => stallBody),
]

function openSome(): void {
  for (const kind of kinds.splice(0, OPEN_TOGETHER)) hold(kind)
  if (kinds.length > 0) setTimeout(openSome, 20)
}

openSome()
setInterval(() => process.stdout.write(`${JSON.stringify(counts)}\n`), 200)
