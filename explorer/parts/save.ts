/** Makes the browser save a text or image as a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // By then, the browser has started to read the blob.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Returns a self-contained SVG with the page's colours and fonts inlined. */
export function wholeSvg(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement
  const shown = [picture, ...picture.querySelectorAll<SVGElement>('*')]
  const copied = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  for (const [index, element] of copied.entries()) {
    const original = shown[index]
    if (original === undefined) continue
    const style = getComputedStyle(original)
    for (const name of PAINTED) {
      const value = style.getPropertyValue(name)
      if (value !== '') element.setAttribute(name, value)
    }
  }
  for (const style of copy.querySelectorAll('style')) style.remove()
  const { width, height } = picture.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const ground = getComputedStyle(document.body).backgroundColor
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  sheet.setAttribute('width', '100%')
  sheet.setAttribute('height', '100%')
  sheet.setAttribute('fill', ground)
  copy.prepend(sheet)
  return new XMLSerializer().serializeToString(copy)
}

const PAINTED = [
  'fill',
  'stroke',
  'color',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
]

/** Returns the figure as PNG at twice the screen resolution, for slides and print. */
export async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  const { width, height } = picture.getBoundingClientRect()
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wholeSvg(picture))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * 2
  canvas.height = height * 2
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvasPng(canvas)
}

export function canvasPng(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))))
  })
}
