export interface Position {
  readonly latitude: number
  readonly longitude: number
}

const EARTH_RADIUS_MILES = 3958.7613
const MILES_PER_DEGREE = (EARTH_RADIUS_MILES * Math.PI) / 180

/** Returns the great-circle distance in miles; NaN when a coordinate is NaN. */
export function milesBetween(from: Position, latitude: number, longitude: number): number {
  const radians = Math.PI / 180
  const half = (degrees: number): number => Math.sin((degrees * radians) / 2) ** 2
  const chord =
    half(latitude - from.latitude) +
    Math.cos(from.latitude * radians) * Math.cos(latitude * radians) * half(longitude - from.longitude)
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** A circle that excludes places whose bounding box is outside it. */
export interface Circle {
  meets(boxes: Float32Array, place: number): boolean
}

/** Returns a circle of `miles` around a position. */
export function circleAround(centre: Position, miles: number): Circle {
  // The margin covers the rounding of positions and boxes to 32 bits.
  const tall = miles / MILES_PER_DEGREE + 0.001
  const wide = tall / Math.max(0.01, Math.cos((Math.abs(centre.latitude) + tall) * (Math.PI / 180)))
  return {
    meets(boxes, place) {
      return (
        boxes[place * 4]! <= centre.latitude + tall &&
        boxes[place * 4 + 1]! >= centre.latitude - tall &&
        boxes[place * 4 + 2]! <= centre.longitude + wide &&
        boxes[place * 4 + 3]! >= centre.longitude - wide
      )
    },
  }
}
