/** A position on Earth in degrees (WGS84). https://hl7.org/fhir/R4/location-definitions.html#Location.position */
export interface Position {
  /** -90 to 90. */
  readonly latitude: number;
  /** -180 to 180. */
  readonly longitude: number;
}

/** True for numbers that are a latitude and a longitude. */
export const isPosition = (latitude: unknown, longitude: unknown): boolean =>
  typeof latitude === 'number' &&
  typeof longitude === 'number' &&
  Math.abs(latitude) <= 90 &&
  Math.abs(longitude) <= 180;

/** Mean radius of the Earth in metres (IUGG). https://doi.org/10.1007/s001900050278 */
const radius = 6_371_008.8;

/**
 * Distance in metres along the surface of a sphere with the mean radius of the Earth, by the haversine formula; it
 * differs from that on the ellipsoid by up to 0.6 %.
 */
export function distanceBetween(a: Position, b: Position): number {
  const half = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2;
  const h =
    half(b.latitude - a.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(b.longitude - a.longitude);
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** A range of degrees, with both ends. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Latitudes, and one or two ranges of longitudes: an area across the meridian of 180° has two. */
export interface Area {
  readonly latitudes: Range;
  readonly longitudes: readonly Range[];
}

/** An area that has every position within a distance in metres, and others. */
export function areaAround({ latitude, longitude }: Position, distance: number): Area {
  const angle = distance / radius;
  const degrees = (angle * 180) / Math.PI + margin;
  const latitudes = { low: Math.max(-90, latitude - degrees), high: Math.min(90, latitude + degrees) };
  // With a pole in the area, all longitudes are.
  if (latitudes.low === -90 || latitudes.high === 90) return { latitudes, longitudes: [everywhere] };
  const ratio = Math.sin(angle) / Math.cos(radians(latitude));
  const width = (Math.asin(Math.min(1, ratio)) * 180) / Math.PI + margin;
  const [low, high] = [longitude - width, longitude + width];
  if (low < -180)
    return {
      latitudes,
      longitudes: [
        { low: -180, high },
        { low: low + 360, high: 180 },
      ],
    };
  if (high > 180)
    return {
      latitudes,
      longitudes: [
        { low, high: 180 },
        { low: -180, high: high - 360 },
      ],
    };
  return { latitudes, longitudes: [{ low, high }] };
}

const everywhere: Range = { low: -180, high: 180 };

/** Some 11 m: more than the rounding of the calculation, which is largest beside a pole. */
const margin = 1e-4;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
