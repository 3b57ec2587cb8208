/// The client.
public enum Client {}
