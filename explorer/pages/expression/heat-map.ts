/** Data of a heat map, with rows and columns in display order. */
interface HeatMap {
  readonly rowNames: readonly string[]
  readonly columnCount: number
  /** Returns a value, or NaN if it is unknown. */
  readonly value: (row: number, column: number) => number
  /** Absolute value with the strongest colour. */
  readonly most: number
}

/** Sizes in CSS pixels. */
const NAME_WIDTH = 110
const ROW_HEIGHT = 16
const MIN_ROW_HEIGHT = 2
const MAX_HEIGHT = 1200
/** Maximum canvas width of browsers in pixels. If there are more columns, some share a pixel. */
const MAX_COLUMNS = 8000

/** Draws a heat map on a canvas: blue for low, red for high, grey for unknown values. */
export function heatMap(width: number, map: HeatMap): HTMLCanvasElement {
  const { rowNames, columnCount } = map
  const room = Math.max(50, width - NAME_WIDTH)
  const rowHeight = Math.max(
    MIN_ROW_HEIGHT,
    Math.min(ROW_HEIGHT, Math.floor(MAX_HEIGHT / Math.max(1, rowNames.length))),
  )
  const canvas = document.createElement('canvas')
  const scale = globalThis.devicePixelRatio || 1
  const height = rowHeight * rowNames.length
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.scale(scale, scale)
  const cells = cellsOf(map)
  // Draws one pixel per cell and stretches the image, which takes milliseconds for a million cells.
  context.imageSmoothingEnabled = false
  context.drawImage(cells, NAME_WIDTH, 0, room, height)
  if (rowHeight >= 8) {
    const style = getComputedStyle(document.body)
    context.fillStyle = style.color
    context.font = `${Math.min(12, rowHeight - 2)}px ${style.fontFamily}`
    context.textBaseline = 'middle'
    context.textAlign = 'right'
    for (const [row, name] of rowNames.entries()) {
      context.fillText(name, NAME_WIDTH - 6, (row + 0.5) * rowHeight, NAME_WIDTH - 8)
    }
  }
  canvas.setAttribute('role', 'img')
  canvas.setAttribute(
    'aria-label',
    `Heat map of ${rowNames.length} genes by ${columnCount} cases; the table has the values`,
  )
  return canvas
}

function cellsOf({ rowNames, columnCount, value, most }: HeatMap): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.min(columnCount, MAX_COLUMNS))
  canvas.height = Math.max(1, rowNames.length)
  const context = canvas.getContext('2d')
  const pixels = context?.createImageData(canvas.width, canvas.height)
  if (!context || !pixels) return canvas
  // Each colour is written as one 32-bit word, which takes tens of milliseconds for a million cells.
  const words = new Uint32Array(pixels.data.buffer)
  const colors = colorTable()
  for (let row = 0; row < rowNames.length; row++) {
    for (let place = 0; place < canvas.width; place++) {
      const column = Math.floor((place * columnCount) / canvas.width)
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
 * Returns a colour.
 * @param share from -1 to 1, clamped
 */
function colorOf(share: number): Color {
  if (Number.isNaN(share)) return [128, 128, 128, 90]
  const end = share < 0 ? LOW : HIGH
  const part = Math.min(1, Math.abs(share))
  const mix = (index: 0 | 1 | 2) => Math.round(MIDDLE[index] + (end[index] - MIDDLE[index]) * part)
  return [mix(0), mix(1), mix(2), 255]
}
