"""Pictures: what is where a pinhole sees it, what hides what, where shadows and lines of the grid fall."""

from __future__ import annotations

import math

import numpy as np
import pytest

from moving_ball import BODY, FLOOR, RADIUS, SPHERE, history
from rigidsim.views.camera import FILLED, Camera, fitted
from rigidsim.views.display import display_at
from rigidsim.views.grid import grid_spacing
from rigidsim.views.poses import WORLD_ROW
from rigidsim.views.raytracing import BACKGROUND
from rigidsim.views.scenery import PATH_WIDTH, Scenery, rgb

SIZE = (320, 240)
TIMES = np.array([0.0, 0.25, 0.5, 1.0])  # samples, and times between them
CAMERA = Camera(np.array([0.0, 0.2, 0.3]), 4.0, math.radians(-50), math.radians(25), SIZE)


def scenery(frame=WORLD_ROW, traced=(), **bodies) -> Scenery:
    display = display_at(history(**bodies), TIMES, 1.0)
    row = display.row(frame) if frame != WORLD_ROW else WORLD_ROW
    seen = display.poses.seen_from(row)
    return Scenery(display, seen, display.framing(seen), traced)


@pytest.fixture(scope="module")
def both():
    return scenery()


@pytest.fixture(scope="module")
def above_floor():
    return scenery(floor=FLOOR)


def pinhole(camera: Camera, point) -> np.ndarray:
    """Where a point appears, by the textbook: turn the world about z, then about the horizontal, and divide by the
    depth. 30 degrees are between the lower and the upper edge.
    """
    x, y, z = np.asarray(point) - camera.target
    a, e = camera.azimuth, camera.elevation
    towards, right = x * math.cos(a) + y * math.sin(a), -x * math.sin(a) + y * math.cos(a)
    near, up = towards * math.cos(e) + z * math.sin(e), z * math.cos(e) - towards * math.sin(e)
    focal = camera.size[1] / 2 / math.tan(math.radians(15))
    depth = camera.distance - near
    return np.array([camera.size[0] / 2 + focal * right / depth, camera.size[1] / 2 - focal * up / depth])


def coloured(pixels: np.ndarray, colour: str) -> np.ndarray:
    """Which pixels have the hue of a colour, in whatever light, and not that of the background."""
    found = pixels / np.maximum(pixels.max(axis=2, keepdims=True), 1)
    wanted = rgb(colour) / rgb(colour).max()
    return (np.abs(found - wanted).max(axis=2) < 0.3) & (np.ptp(pixels.astype(int), axis=2) > 30)


@pytest.mark.parametrize("frame", range(len(TIMES)))
def test_a_ball_is_where_a_pinhole_sees_it(both, frame):
    """The middle of its silhouette is that of its centre but for the second order of its angular radius, here 0.1
    pixels; its area is that of a disc, of which the reflected light and half of the edge have another colour.
    """
    pixels = both.picture(frame, CAMERA).render()
    mask = coloured(pixels, both.display.colours[0])
    middle = np.argwhere(mask).mean(axis=0)[::-1] + 0.5
    centre = both.seen.position[frame, 0]
    assert np.allclose(centre, [0.5 - TIMES[frame], 0.2 + TIMES[frame] / 2, 0.3 + TIMES[frame] / 5], atol=1e-9)
    assert np.allclose(middle, pinhole(CAMERA, centre), atol=0.6)
    radius = RADIUS / np.linalg.norm(centre - CAMERA.position) / CAMERA.pixel
    assert 0.8 < mask.sum() / (math.pi * radius**2) < 1.05


def test_rays_are_those_of_a_pinhole():
    random = np.random.default_rng(1)
    points = random.normal(size=(50, 3))
    rays = CAMERA.rays(*np.array([pinhole(CAMERA, point) for point in points]).T)
    beside = np.cross(rays, points - CAMERA.position)
    assert np.abs(beside).max() < 1e-5  # float32


def test_what_is_nearer_hides_what_is_behind(both):
    """Seen along x the ball is before the brick, and the other way round."""
    for azimuth, nearer in ((0.0, 0), (math.pi, 1)):
        camera = Camera(np.array([0.0, 0.2, 0.35]), 4.0, azimuth, 0.0, SIZE)
        seen = both.picture(0, camera).render()
        x, y = np.floor(pinhole(camera, both.seen.position[0, nearer])).astype(int)
        found = seen[y, x] / seen[y, x].max()
        assert np.abs(found - rgb(both.display.colours[nearer]) / rgb(both.display.colours[nearer]).max()).max() < 0.3


def test_a_body_stays_put_seen_from_itself():
    """All bodies but this one move; its pixels are the same at all times."""
    alone = scenery("brick")
    pictures = [alone.picture(k, CAMERA).render() for k in range(len(TIMES))]
    masks = [coloured(pixels, alone.display.colours[1]) for pixels in pictures]
    assert masks[0].sum() > 100
    for pixels, mask in zip(pictures, masks, strict=True):
        assert np.array_equal(mask, masks[0])
        assert np.array_equal(pixels[mask], pictures[0][mask])
    assert not np.array_equal(pictures[0], pictures[-1])  # the ball moves


def test_the_same_picture_has_the_same_bits(both):
    assert np.array_equal(both.picture(1, CAMERA).render(), both.picture(1, CAMERA).render())


def test_shadows_fall_away_from_the_light(above_floor):
    """A point of the floor from which the ball is before the light is darker than one on its other side."""
    picture = above_floor.picture(0, CAMERA)
    back, right = -CAMERA.axes[2], CAMERA.axes[0]
    light = 0.45 * back - 0.5 * right + np.array([0.0, 0, 1])
    centre = above_floor.seen.position[0, 0]
    shadow = centre - light * centre[2] / light[2]
    opposite = centre + light * [1, 1, 0] * centre[2] / light[2]
    opposite[2] = 0.0
    pixels = picture.render()
    dark, bright = (pixels[tuple(np.floor(pinhole(CAMERA, p)).astype(int)[::-1])].mean() for p in (shadow, opposite))
    assert dark < 0.8 * bright


def test_lines_of_the_grid_are_at_multiples_of_its_spacing(above_floor):
    """The mean along a line is darker than that beside it."""
    camera = Camera(np.zeros(3), 3.0, math.radians(-50), math.radians(60), (640, 480))
    pixels = above_floor.picture(3, camera).render().mean(axis=2)
    spacing = above_floor.spacing
    along = np.linspace(0.15, 0.4, 60) * spacing

    def brightness(x):
        at = np.floor([pinhole(camera, (x, y, 0.0)) for y in along]).astype(int)
        return pixels[at[:, 1], at[:, 0]].mean()

    assert brightness(0.0) < brightness(0.3 * spacing) - 5
    assert brightness(spacing) < brightness(0.7 * spacing) - 5


def test_a_floor_is_not_seen_from_below(above_floor):
    """Nothing hides the bodies; the background is seen between them."""
    below = Camera(np.array([0.0, 0.2, 0.3]), 4.0, 0.3, math.radians(-40), SIZE)
    pixels = above_floor.picture(0, below).render()
    assert coloured(pixels, above_floor.display.colours[0]).sum() > 100
    assert np.allclose(pixels[5, 5], BACKGROUND * 255, atol=1)


def test_paths_are_as_wide_near_as_far():
    """Straight paths along the view are drawn with one width, apart from rounding to pixels."""
    drawn = scenery(traced=[0])
    camera = Camera(np.array([0.0, 0.45, 0.4]), 3.0, 0.0, 1.4, (640, 480))
    begin, end = (pinhole(camera, drawn.seen.position[k, 0]) for k in (0, 3))
    before, after = (scenery_of.picture(3, camera).render().astype(int) for scenery_of in (scenery(), drawn))
    changed = np.argwhere(np.abs(after - before).max(axis=2) > 4)
    covered = (np.abs(after - before).max(axis=2) / np.abs(after - before).max()).sum()
    assert covered == pytest.approx(PATH_WIDTH * 480 * np.linalg.norm(end - begin), rel=0.25)
    along = (end - begin) / np.linalg.norm(end - begin)
    beside = np.abs((changed[:, ::-1] + 0.5 - begin) @ [-along[1], along[0]])
    assert beside.max() < PATH_WIDTH * 480 / 2 + 1.5


@pytest.mark.parametrize("seed", range(5))
def test_a_fitted_camera_shows_everything_and_is_no_farther_than_needed(seed):
    """No silhouette leaves the part of the picture that is to be filled, and one touches its edge; unless the nearest
    one would be nearer than half the distance.
    """
    random = np.random.default_rng(seed)
    points, reach = random.normal(size=(40, 3)) * [3, 1, 0.5], random.uniform(0, 0.3, 40)
    camera = fitted(random.uniform(-3, 3), random.uniform(-1, 1), (640, 360), points, reach)
    x, y, depth = ((points - camera.position) @ camera.axes.T).T
    used = []
    for place, slope in ((x, FILLED[0] * 320 * camera.pixel), (y, FILLED[1] * 180 * camera.pixel)):
        used += [np.max((side * place + reach * math.hypot(1, slope)) / (depth * slope)) for side in (1, -1)]
    is_near = np.min(depth - reach) == pytest.approx(camera.distance / 2)
    assert max(used) == pytest.approx(1.0, abs=1e-9) or (max(used) < 1.0 and is_near)


def test_a_camera_fits_a_single_point():
    assert fitted(0.0, 0.0, SIZE, np.ones((1, 3)), np.zeros(1)).distance == 1.0


@pytest.mark.parametrize(("radius", "spacing"), [(5.0, 1.0), (6.0, 1.0), (11.0, 2.0), (26.0, 5.0), (0.049, 0.005)])
def test_spacings_of_grids_are_round(radius, spacing):
    assert grid_spacing(radius) == pytest.approx(spacing)


def test_what_is_in_a_hollow_body_is_seen():
    """A box of six walls with a ball in it: the ball is seen through the wall, the wall itself as well."""
    axes = np.eye(3)
    walls = [
        {"type": "box", "size": (1 - 0.98 * axis).tolist(), "position": (side * axis).tolist()}
        for axis in axes
        for side in (-0.5, 0.5)
    ]
    room = {"motion": "fixed", "position": [0.5, 0.2, 0.3], "shapes": walls}
    inside, alone = scenery(room=room), scenery()
    assert inside.display.hollow == (2,)
    camera = Camera(np.array([0.5, 0.2, 0.3]), 4.0, 0.3, 0.2, SIZE)
    through, free = (one.picture(0, camera).render().astype(int) for one in (inside, alone))
    x, y = np.floor(pinhole(camera, inside.seen.position[0, 0])).astype(int)
    assert through[y, x, 2] > through[y, x, 0]  # blue, as the ball
    assert 10 < np.abs(through[y, x] - free[y, x]).max() < 120


def test_far_from_the_origin_a_picture_is_the_same():
    """Seen from a body that is 1.5e11 m away the bodies are where they are near the origin."""
    far = {"motion": "fixed", "position": [0, 0, -1.5e11], "children": {
        "ball": {**BODY, "position": [0.5, 0.2, 0.3], "shapes": [SPHERE]}}}  # fmt: skip
    near = {**far, "position": [0, 0, -1000]}
    pictures = [scenery("place", place=place).picture(0, CAMERA) for place in (far, near)]
    masks = [coloured(picture.render(), "#cc79a7") for picture in pictures]
    assert masks[0].sum() > 100
    assert np.array_equal(*masks)
