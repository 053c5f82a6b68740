import type { HeatMap } from './heat-map.ts'

/** Maximum canvas width of browsers in pixels. If there are more columns, some share a pixel. */
const MAX_COLUMNS = 8000

/** Draws one pixel per cell. */
export function cellsOf({ rowNames, columnNames, value, most }: HeatMap): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.min(columnNames.length, MAX_COLUMNS))
  canvas.height = Math.max(1, rowNames.length)
  const context = canvas.getContext('2d')
  const pixels = context?.createImageData(canvas.width, canvas.height)
  if (!context || !pixels) return canvas
  // Each colour is written as one 32-bit word, which takes tens of milliseconds for a million cells.
  const words = new Uint32Array(pixels.data.buffer)
  const colors = colorTable()
  for (let row = 0; row < rowNames.length; row++) {
    for (let place = 0; place < canvas.width; place++) {
      const column = Math.floor((place * columnNames.length) / canvas.width)
      words[row * canvas.width + place] = colors[stepOf(value(row, column) / most)] ?? 0
    }
  }
  context.putImageData(pixels, 0, 0)
  return canvas
}

/** Colour steps on either side of the middle. */
const STEPS = 255
const UNKNOWN = 2 * STEPS + 1

/**
 * Returns the colour step of a value.
 * @param share from -1 to 1
 */
function stepOf(share: number): number {
  if (Number.isNaN(share)) return UNKNOWN
  return Math.round(Math.max(-1, Math.min(1, share)) * STEPS) + STEPS
}

/** Returns the colours of all steps in memory order. */
function colorTable(): Uint32Array {
  const bytes = new Uint8Array((UNKNOWN + 1) * 4)
  for (let step = 0; step < UNKNOWN; step++) bytes.set(colorOf((step - STEPS) / STEPS), step * 4)
  bytes.set(colorOf(Number.NaN), UNKNOWN * 4)
  return new Uint32Array(bytes.buffer)
}

type Color = readonly [red: number, green: number, blue: number, alpha: number]

const MIDDLE: Color = [247, 247, 247, 255]
const LOW: Color = [33, 102, 172, 255]
const HIGH: Color = [178, 24, 43, 255]

/**
 * Returns a colour as red, green, blue and alpha from 0 to 255.
 * @param share from -1 to 1, clamped
 */
export function colorOf(share: number): Color {
  if (Number.isNaN(share)) return [128, 128, 128, 90]
  const end = share < 0 ? LOW : HIGH
  const part = Math.min(1, Math.abs(share))
  const mix = (index: 0 | 1 | 2) => Math.round(MIDDLE[index] + (end[index] - MIDDLE[index]) * part)
  return [mix(0), mix(1), mix(2), 255]
}
