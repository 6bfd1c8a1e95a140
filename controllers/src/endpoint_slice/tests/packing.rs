//! Tests of the packing of endpoints into slices while pods come and go.

use crate::endpoint_slice::pack::MAX_ENDPOINTS;
use crate::endpoint_slice::testing::World;

const SPEC: &str =
    "{clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}, ports: [{port: 80}]}";

fn with(pods: usize) -> World {
    let mut world = World::new(SPEC);
    world.add_pods(0..pods);
    world.settle();
    world
}

fn sizes(world: &World) -> Vec<usize> {
    let mut sizes: Vec<_> =
        world.parsed_slices().iter().map(|slice| slice.endpoints.len()).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn no_slice_holds_more_than_a_hundred() {
    for (pods, expected) in
        [(0, &[0][..]), (1, &[1]), (100, &[100]), (101, &[1, 100]), (250, &[50, 100, 100])]
    {
        assert_eq!(sizes(&with(pods)), expected, "{pods}");
    }
}

#[test]
fn one_pod_changes_one_slice() {
    let mut world = with(250);
    world.unready("p0123");
    assert_eq!(world.settle(), (0, 1, 0));
    world.pods.remove("p0007");
    assert_eq!(world.settle(), (0, 1, 0));
    world.add_pods(250..251);
    assert_eq!(world.settle(), (0, 1, 0), "the fullest slice with room takes it");
    assert_eq!(sizes(&world), [50, 100, 100]);
}

#[test]
fn a_pod_that_replaces_another_takes_its_place() {
    let mut world = with(250);
    world.pods.remove("p0123");
    world.add_pods(250..251);
    assert_eq!(world.settle(), (0, 1, 0));
    assert_eq!(sizes(&world), [50, 100, 100]);
}

#[test]
fn many_new_pods_do_not_touch_full_slices() {
    let mut world = with(200);
    world.add_pods(200..430);
    assert_eq!(world.settle(), (3, 0, 0));
    assert_eq!(sizes(&world), [30, 100, 100, 100, 100]);
}

#[test]
fn slices_that_lose_everything_go() {
    let mut world = with(250);
    let remaining =
        world.parsed_slices().iter().find(|slice| slice.endpoints.len() == 50).map(|slice| {
            slice.endpoints.iter().map(|endpoint| endpoint.addresses[0].clone()).collect::<Vec<_>>()
        });
    let remaining = remaining.expect("there");
    world.pods.retain(|_, pod| {
        let ip = pod.find(&["status", "podIPs"]).expect("there").items()[0].text_at(&["ip"]);
        remaining.iter().any(|known| known == ip)
    });
    assert_eq!(world.settle(), (0, 0, 2));
    assert_eq!(sizes(&world), [50]);
}

#[test]
fn too_large_slices_of_others_are_divided() {
    let mut world = with(250);
    // One slice gets an endpoint of another.
    let slices = world.parsed_slices();
    let (one, other) = (&slices[0], &slices[1]);
    let mut crowded = one.clone();
    crowded.endpoints.extend(other.endpoints.clone());
    let node = crowded.to_node("shop", "", crate::slices::owner("Service", "web", "s1"));
    world.slices.insert(one.name().to_owned(), crate::Shared::new(node));
    world.slices.remove(other.name());
    world.settle();
    assert!(sizes(&world).iter().all(|size| *size <= MAX_ENDPOINTS), "{:?}", sizes(&world));
    assert_eq!(world.addresses().len(), 250);
}

#[test]
fn what_others_put_into_a_slice_is_taken_out() {
    let mut world = with(3);
    let mut slice = world.parsed_slices().remove(0);
    let mut strange = slice.endpoints[0].clone();
    strange.addresses = vec!["192.0.2.1".to_owned()];
    slice.endpoints.push(strange);
    slice.endpoints.push(slice.endpoints[0].clone());
    let node = slice.to_node("shop", "", crate::slices::owner("Service", "web", "s1"));
    world.slices.insert(slice.name().to_owned(), crate::Shared::new(node));
    assert_eq!(world.settle(), (0, 1, 0));
    assert_eq!(world.addresses().len(), 3);
}

#[test]
fn a_changed_port_uses_the_slices_that_are_there() {
    let mut world = with(150);
    world.service.map_mut("spec").set("ports", crate::testing::node("[{port: 81}]"));
    assert_eq!(world.settle(), (0, 2, 0));
    assert!(world.parsed_slices().iter().all(|slice| slice.ports[0].port == Some(81)));
}
